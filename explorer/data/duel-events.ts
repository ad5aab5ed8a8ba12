import { useState } from 'react';
import { graphql } from '../graph/documents.ts';
import { useEvents } from '../graph/use-events.ts';

const MAX_EVENTS = 6;

const DUELS = graphql(`
  subscription DuelUpdates($chainId: ChainId) {
    duelUpdates(chainId: $chainId) {
      id status timedOut powerChange1 startBlockNumber endBlockNumber
      winner { id }
      wizard1Id wizard2Id affinity1 affinity2
    }
  }
`);

type DuelUpdate = NonNullable<ReturnType<NonNullable<(typeof DUELS)['__apiType']>>>['duelUpdates'];

/** A change of a duel; `key` is unique. */
export interface DuelEvent {
  readonly key: number;
  readonly duel: DuelUpdate;
}

/** The last changes of duels since the page was opened, newest first. */
export function useDuelEvents(): readonly DuelEvent[] {
  const [events, setEvents] = useState<readonly DuelEvent[]>([]);
  useEvents(DUELS, {
    onEvent: ({ duelUpdates: duel }) =>
      setEvents((earlier) => [{ key: (earlier[0]?.key ?? 0) + 1, duel }, ...earlier].slice(0, MAX_EVENTS)),
  });
  return events;
}

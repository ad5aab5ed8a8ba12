import DataLoader from 'dataloader';
import { tournamentTopic } from '../../../ethereum/abi/standards.ts';
import { isData, type Quantity } from '../../../ethereum/hex.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { DuelKey } from '../model.ts';
import type { LogSearches } from './searches.ts';

/** An event of a duel, at a known height. */
interface DuelEvent {
  readonly id: string;
  readonly isStart: boolean;
  readonly height: Quantity;
}

const START_TOPIC = tournamentTopic('DuelStart');
const END_TOPICS = [tournamentTopic('DuelEnd'), tournamentTopic('DuelTimeOut')];

const keyOf = ({ id, isStart, height }: DuelEvent): string => `${id} ${isStart} ${height}`;

/** Maximum number of blocks of one search, which most providers accept. */
const MAX_SEARCHED_BLOCKS = 10_000;

/** Splits events, whose heights are known, into searches of at most `maxBlocks` blocks. */
function groupByHeight(events: readonly DuelEvent[], maxBlocks: number): readonly (readonly DuelEvent[])[] {
  const groups: DuelEvent[][] = [];
  for (const event of events.toSorted((a, b) => Number(a.height) - Number(b.height))) {
    const group = groups.at(-1);
    if (group && Number(event.height) - Number(group[0]!.height) < maxBlocks) group.push(event);
    else groups.push([event]);
  }
  return groups;
}

/**
 * Creates the DataLoader of the events of duels: all events of a tick whose blocks are near each other are one search of the tournament's contract by
 * their indexed ids. Source: `eth_getLogs`.
 */
export function duelLogLoader({ session }: Snapshot, logs: LogSearches, tournament: string | undefined) {
  const search = (events: readonly DuelEvent[]): Promise<readonly RpcLog[]> => {
    const topics = [
      events.some(({ isStart }) => isStart) ? [START_TOPIC] : [],
      events.every(({ isStart }) => isStart) ? [] : END_TOPICS,
    ];
    const criteria = {
      addresses: [tournament!],
      topics: [topics.flat(), [...new Set(events.map(({ id }) => id))]],
      fromBlock: events[0]!.height,
      toBlock: events.at(-1)!.height,
    };
    return logs.list(criteria, { full: false, receipt: false, block: undefined });
  };

  const loader = new DataLoader<DuelEvent, RpcLog | null, string>(
    async (events) => {
      const maxBlocks = Math.min(MAX_SEARCHED_BLOCKS, session.capabilities.logRangeLimit.maxBlocks);
      const found = (await Promise.all(groupByHeight(events, maxBlocks).map(search))).flat();
      // The search includes the heights between those of the duels.
      const eventOf = ({ topics: [topic, id], blockNumber }: RpcLog): DuelEvent => ({
        id: id!,
        isStart: topic === START_TOPIC,
        height: blockNumber!,
      });
      const byKey = new Map(found.map((log) => [keyOf(eventOf(log)), log]));
      return events.map((event) => byKey.get(keyOf(event)) ?? null);
    },
    { cacheKeyFn: keyOf },
  );

  /** Null without an address of the tournament, without a height, and for an id that no event can have. */
  const load = async (id: string, isStart: boolean, height: Quantity | null | undefined): Promise<RpcLog | null> =>
    tournament !== undefined && height && isData(id, 32) ? loader.load({ id, isStart, height }) : null;

  return {
    /** Loads the event that started a duel. */
    start: ({ id, startBlockNumber }: DuelKey) => load(id, true, startBlockNumber),
    /** Loads the event that ended a duel; null while it is in progress. */
    end: ({ id, endBlockNumber }: DuelKey) => load(id, false, endBlockNumber),
  };
}

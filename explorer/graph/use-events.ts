import { follow } from '@grimoire/client';
import { useEffect, useEffectEvent } from 'react';
import type { TypedDocument } from './documents.ts';
import { socket } from './endpoint.ts';

export interface EventOptions<Data, Variables> {
  readonly variables?: Variables;
  /** Cursor after which to start; null waits for one. */
  readonly after?: string | null;
  readonly onEvent: (data: Data) => void;
}

/**
 * Follows a subscription while the component is mounted. After a lost connection it resumes after the last event. A subscription that the server
 * refuses, for example since its schema lacks the field, has no events.
 */
export function useEvents<Data, Variables>(
  document: TypedDocument<Data, Variables>,
  { variables, after, onEvent }: EventOptions<Data, Variables>,
): void {
  const emit = useEffectEvent(onEvent);
  const key = JSON.stringify(variables);
  const isWaiting = after === null;
  const start = useEffectEvent(() => after ?? undefined);
  useEffect(() => {
    if (isWaiting) return;
    const control = new AbortController();
    const query = String(document);
    const events = follow<Data>(socket, {
      query,
      variables: key === undefined ? undefined : JSON.parse(key),
      after: start(),
      signal: control.signal,
    });
    const forward = async () => {
      for await (const event of events) emit(event);
    };
    forward().catch(() => {});
    return () => control.abort();
  }, [document, key, isWaiting]);
}

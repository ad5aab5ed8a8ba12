import { follow, type Interruption, SubscriptionError } from '@grimoire/client';
import { useEffect, useEffectEvent } from 'react';
import { pageChain } from './chain.ts';
import type { TypedDocument } from './documents.ts';
import { socket } from './endpoint.ts';

/** The events after a cursor cannot be read, for example since the server was started again with a new chain. */
const EXPIRED = new Set(['CURSOR_EXPIRED', 'GAP_TOO_LARGE']);

export interface EventOptions<Data, Variables> {
  readonly variables?: Variables;
  /** Cursor after which to start; null waits for one. */
  readonly after?: string | null;
  readonly onEvent: (data: Data) => void;
  /** Called when the subscription is interrupted and will be resumed. */
  readonly onInterruption?: (interruption: Interruption) => void;
}

/**
 * Follows a subscription to the chain of the page while the component is mounted. After a lost connection it resumes after the last event. A subscription that the server
 * refuses, for example since its schema lacks the field, has no events.
 */
export function useEvents<Data, Variables>(
  document: TypedDocument<Data, Variables>,
  { variables, after, onEvent, onInterruption = () => {} }: EventOptions<Data, Variables>,
): void {
  const emit = useEffectEvent(onEvent);
  const interrupt = useEffectEvent(onInterruption);
  const key = JSON.stringify(variables);
  const isWaiting = after === null;
  const start = useEffectEvent(() => after ?? undefined);
  useEffect(() => {
    if (isWaiting) return;
    const control = new AbortController();
    const forward = async (cursor: string | undefined): Promise<void> => {
      const events = follow<Data>(socket, {
        query: String(document),
        variables: key === undefined ? undefined : JSON.parse(key),
        chain: pageChain ?? undefined,
        after: cursor,
        signal: control.signal,
        onInterruption: (interruption) => interrupt(interruption),
      });
      try {
        for await (const event of events) emit(event);
      } catch (error) {
        if (error instanceof SubscriptionError && EXPIRED.has(String(error.code))) return forward(undefined);
      }
    };
    void forward(start());
    return () => control.abort();
  }, [document, key, isWaiting]);
}

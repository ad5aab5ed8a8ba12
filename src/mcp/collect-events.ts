import { GraphError } from '../lib/errors.ts';
import type { GraphClient, GraphRequest, GraphResponse } from './graph-client.ts';
import { formatGraphError } from './tool-results.ts';

/** The collected events of a subscription. */
export interface CollectedEvents {
  readonly events: readonly GraphResponse[];
  /** Why the collection ended: `count` events have arrived, the time is over, or the subscription has ended. */
  readonly ended: 'COUNT' | 'TIMEOUT' | 'COMPLETE' | 'ERROR';
  /** Why the subscription ended with an error. */
  readonly errors?: readonly unknown[];
}

export interface CollectOptions {
  readonly count: number;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
  /** Receives the number of events so far. */
  readonly onEvent: (count: number) => void;
}

/** Collects events of a subscription, at most as many as fit into a result. Rejects with RESULT_TOO_LARGE if the first one does not. */
export async function collectEvents(
  client: GraphClient,
  request: GraphRequest,
  { count, timeoutMs, maxBytes, signal, onEvent }: CollectOptions,
): Promise<CollectedEvents> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const events: GraphResponse[] = [];
  let bytes = 0;
  try {
    for await (const event of client.subscribe(request, AbortSignal.any([signal, timeout]))) {
      // Only a response without events has errors and no `data` key: the graph has rejected or ended the subscription.
      if (event.errors && !('data' in event)) return { events, ended: 'ERROR', errors: event.errors };
      bytes += Buffer.byteLength(JSON.stringify(event)) + 1;
      if (bytes > maxBytes - OVERHEAD_BYTES) {
        const message = `The events have more than ${maxBytes} bytes. Select fewer fields or collect fewer events.`;
        const error = new GraphError('RESULT_TOO_LARGE', message, { limit: maxBytes, setting: 'MCP_MAX_RESULT_BYTES' });
        if (events.length === 0) throw error;
        return { events, ended: 'ERROR', errors: [formatGraphError(error)] };
      }
      events.push(event);
      onEvent(events.length);
      if (events.length === count) return { events, ended: 'COUNT' };
    }
    return { events, ended: 'COMPLETE' };
  } catch (error) {
    if (timeout.aborted) return { events, ended: 'TIMEOUT' };
    if (error instanceof GraphError && events.length > 0) return { events, ended: 'ERROR', errors: [formatGraphError(error)] };
    throw error;
  }
}

/** For the keys around the events, and for an error. */
const OVERHEAD_BYTES = 512;

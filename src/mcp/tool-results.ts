import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import { GraphError } from '../lib/errors.ts';
import type { GraphClient, GraphRequest, GraphResponse } from './graph-client.ts';

export interface ResultOptions {
  /** Maximum size of a result in bytes. */
  readonly maxBytes: number;
  /** Masks secrets. */
  readonly mask: (text: string) => string;
  readonly log: Logger;
}

/** An error in the format of GraphQL errors, with its code. */
const formatGraphError = ({ message, extensions }: GraphError) => ({ message, extensions });

const INTERNAL_ERROR = new GraphError('INTERNAL_SERVER_ERROR', 'Something went wrong in this server.');

const tooLargeError = (message: string, limit: number): GraphError =>
  new GraphError('RESULT_TOO_LARGE', message, { limit, setting: 'MCP_MAX_RESULT_BYTES' });

/**
 * Runs a tool and converts its value, or its error, to a result of MCP: JSON as text. Errors have the codes of the graph. A response with errors and
 * without data makes the whole call an error.
 */
export async function runTool(run: () => unknown, { maxBytes, mask, log }: ResultOptions): Promise<CallToolResult> {
  const resultOf = (value: object, isError: boolean, limit: number): CallToolResult => {
    const text = mask(JSON.stringify(value));
    const bytes = Buffer.byteLength(text);
    if (bytes <= limit) return { content: [{ type: 'text', text }], isError };
    const message = `The result has ${bytes} bytes; at most ${maxBytes} are returned. Select fewer fields or a smaller page.`;
    throw tooLargeError(message, maxBytes);
  };
  try {
    const value = (await run()) as GraphResponse;
    return resultOf(value, Boolean(value.errors?.length) && (value.data ?? null) === null, maxBytes);
  } catch (error) {
    if (error instanceof GraphError) log.debug({ code: error.code }, 'a call of a tool was rejected');
    else log.error({ err: error }, 'a tool failed');
    return resultOf(
      { errors: [formatGraphError(error instanceof GraphError ? error : INTERNAL_ERROR)] },
      true,
      Number.POSITIVE_INFINITY,
    );
  }
}

/** Bytes reserved for the keys around the events, and for an error. */
const OVERHEAD_BYTES = 512;

/**
 * Collects events of a subscription until the result is full. `ended` states why the collection ended: `count` events
 * have arrived, the signal has aborted with `graphTimeout`, or the subscription has ended. Rejects with RESULT_TOO_LARGE if the
 * first event does not fit.
 */
export async function collectEvents(
  client: GraphClient,
  request: GraphRequest,
  options: Pick<ResultOptions, 'maxBytes'> & { readonly count: number; readonly signal: AbortSignal },
) {
  const { count, maxBytes, signal } = options;
  const events: GraphResponse[] = [];
  let bytes = 0;
  try {
    for await (const event of client.subscribe(request, signal, maxBytes)) {
      // Only a response without events has errors and no `data` key: the graph has rejected or ended the subscription.
      if (event.errors && !('data' in event)) return { events, ended: 'ERROR', errors: event.errors };
      bytes += Buffer.byteLength(JSON.stringify(event)) + 1;
      if (bytes > maxBytes - OVERHEAD_BYTES) {
        const message = `The events have more than ${maxBytes} bytes. Select fewer fields or collect fewer events.`;
        throw tooLargeError(message, maxBytes);
      }
      events.push(event);
      if (events.length === count) return { events, ended: 'COUNT' };
    }
    return { events, ended: 'COMPLETE' };
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    if (error.code === 'TIMEOUT') return { events, ended: 'TIMEOUT' };
    if (events.length > 0) return { events, ended: 'ERROR', errors: [formatGraphError(error)] };
    throw error;
  }
}

import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import { GraphError } from '../lib/errors.ts';

export interface ToolResultOptions {
  /** Maximum size of a result in bytes. */
  readonly maxBytes: number;
  /** Masks secrets. */
  readonly mask: (text: string) => string;
  readonly log: Logger;
}

/** Runs a tool and converts its value, or its error, to a result of MCP. */
export type ToolResults = (run: () => unknown) => Promise<CallToolResult>;

/** A value whose errors make the whole call an error. */
interface WithErrors {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
}

const isFailed = ({ data, errors }: WithErrors): boolean => errors !== undefined && errors.length > 0 && (data ?? null) === null;

/** An error in the format of GraphQL errors, with its code. */
export const formatGraphError = ({ message, extensions }: GraphError) => ({ message, extensions });

const INTERNAL_ERROR = new GraphError('INTERNAL_SERVER_ERROR', 'Something went wrong in this server.');

/** Creates the conversion of a tool's value to a result: JSON as text. Errors have the codes of the graph. */
export function createToolResults({ maxBytes, mask, log }: ToolResultOptions): ToolResults {
  const resultOf = (value: object, isError: boolean): CallToolResult => {
    const text = mask(JSON.stringify(value));
    return { content: [{ type: 'text', text }], ...(isError && { isError }) };
  };
  const errorOf = (error: GraphError): CallToolResult => resultOf({ errors: [formatGraphError(error)] }, true);
  return async (run) => {
    try {
      const value = (await run()) as WithErrors;
      const result = resultOf(value, isFailed(value));
      const [content] = result.content;
      const actual = content?.type === 'text' ? Buffer.byteLength(content.text) : 0;
      if (actual <= maxBytes) return result;
      const message = `The result has ${actual} bytes; at most ${maxBytes} are returned. Select fewer fields or a smaller page.`;
      return errorOf(new GraphError('RESULT_TOO_LARGE', message, { limit: maxBytes, actual, setting: 'MCP_MAX_RESULT_BYTES' }));
    } catch (error) {
      if (error instanceof GraphError) return errorOf(error);
      log.error({ err: error }, 'a tool failed');
      return errorOf(INTERNAL_ERROR);
    }
  };
}

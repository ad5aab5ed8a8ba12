import { type ErrorDetail, GraphError } from '../lib/errors.ts';
import { type Data, toData } from './hex.ts';
import { decodeRevertReason } from './revert-reason.ts';

/** Maximum number of characters of a payload and of a reason in the extensions of an error. */
const MAX_EXTENSION_CHARS = 4_096;

/** The failed execution of a contract call, with the payload of the revert if the node sent one. */
export class RevertError extends GraphError {
  /** The complete payload. */
  readonly payload: Data | undefined;

  readonly #detail: ErrorDetail;

  constructor(
    message: string,
    detail: ErrorDetail,
    payload: Data | undefined,
    reason = payload === undefined ? null : decodeRevertReason(payload),
  ) {
    super('EXECUTION_REVERTED', message, {
      ...detail,
      ...(payload !== undefined && { data: payload.slice(0, MAX_EXTENSION_CHARS) }),
      ...(reason !== null && { reason: reason.slice(0, MAX_EXTENSION_CHARS) }),
    });
    this.#detail = detail;
    this.payload = payload;
  }

  /** Returns the error with this text of its payload. */
  withReason(reason: string | null): RevertError {
    return new RevertError(this.message, this.#detail, this.payload, reason);
  }
}

/** Maximum size of the data that a call returns or reverts with: checking larger ones would block the event loop. */
export const MAX_RETURN_DATA_BYTES = 1_048_576;

const toPayload = (text: string): Data | undefined => (text.length > 2 + 2 * MAX_RETURN_DATA_BYTES ? undefined : toData(text));

/** Names under which nodes put the payload into an object. */
const PAYLOAD_PROPERTIES = ['data', 'result', 'return'] as const;

/**
 * Returns the payload of a revert from the `data` of a node's error: a string (geth, Besu, Erigon, Reth, anvil), a string after a word
 * (Nethermind), or an object that contains it (Hardhat, Ganache). Undefined for anything else, and above `MAX_RETURN_DATA_BYTES`.
 */
export function revertPayloadOf(data: unknown): Data | undefined {
  if (typeof data === 'string') return toPayload(data.replace(/^Reverted /, ''));
  if (typeof data !== 'object' || data === null) return undefined;
  const holder = data as Readonly<Record<string, unknown>>;
  return PAYLOAD_PROPERTIES.map((name) => holder[name])
    .filter((value): value is string => typeof value === 'string')
    .map(toPayload)
    .find((payload) => payload !== undefined);
}

import { GraphError } from '../lib/errors.ts';
import { isAddressOrNullish, isNullish, readAccessTuples } from './block-results.ts';
import { asObject, data, invalidShape, list, listOrNull, quantity, word } from './decoders.ts';
import { type Data, quantityOf, sameData, toBigInt } from './hex.ts';
import { MAX_RETURN_DATA_BYTES, revertPayloadOf } from './revert-error.ts';
import type { RpcLog } from './rpc-types.ts';
import { TRANSFER_TOPIC } from './tokens.ts';

/** A log of a simulated call. */
export type RpcSimulatedLog = Pick<RpcLog, 'address' | 'topics' | 'data'>;

/** A transfer of the native currency, in wei. */
export type RpcNativeTransfer = ReturnType<typeof toTransfer>;

/** The result of a simulated call. Source: `eth_simulateV1` with `traceTransfers`. */
export type RpcSimulatedCall = ReturnType<typeof decodeCall>;

/** The address of the logs with which `traceTransfers` reports transfers; no contract can have it. */
const TRANSFER_ADDRESS = `0x${'ee'.repeat(20)}`;

const isTransfer = ({ address, topics }: RpcSimulatedLog): boolean =>
  sameData(address, TRANSFER_ADDRESS) && topics.length === 3 && topics[0] === TRANSFER_TOPIC;

const addressIn = (topic: Data): Data => `0x${topic.slice(-40)}`;

const toTransfer = ({ topics: [, from, to], data: amount }: RpcSimulatedLog) => ({
  from: addressIn(from!),
  to: addressIn(to!),
  value: quantityOf(toBigInt(word(amount))),
});

/**
 * Maximum number of logs and native transfers of a simulation, which are decoded in one turn of the event loop:
 * decoding 130,000 takes 380 ms.
 */
const MAX_SIMULATED_LOGS = 10_000;

/**
 * Reads the result of a simulation of one block with `callCount` calls. Throws UPSTREAM_BAD_RESPONSE, and RESULT_TOO_LARGE for a call that returns
 * more than 1 MiB and for more than 10,000 logs.
 */
export function readSimulation(value: unknown, callCount: number): readonly RpcSimulatedCall[] {
  const [block, ...others] = Array.isArray(value) ? value : [];
  if (block === undefined || others.length > 0) throw invalidShape('the simulation of one block');
  const { calls } = asObject<{ calls?: unknown }>(block, 'a simulated block');
  assertFewLogs(calls);
  const decoded = list(decodeCall)(calls);
  if (decoded.length !== callCount) throw invalidShape('one result for each simulated call');
  return decoded;
}

function assertFewLogs(calls: unknown): void {
  const lengths = (listOrNull<{ logs?: unknown } | null>(calls) ?? []).map((call) => listOrNull(call?.logs)?.length ?? 0);
  const actual = lengths.reduce((sum, length) => sum + length, 0);
  if (actual <= MAX_SIMULATED_LOGS) return;
  const message = `The simulated calls emit ${actual} logs and native transfers. Pass calls that emit at most ${MAX_SIMULATED_LOGS}.`;
  throw new GraphError('RESULT_TOO_LARGE', message, { limit: MAX_SIMULATED_LOGS, actual, method: 'eth_simulateV1' });
}

function decodeCall(value: unknown) {
  const call = asObject<Record<string, unknown>>(value, 'a simulated call');
  const status = quantity(call.status);
  if (status !== '0x0' && status !== '0x1') throw invalidShape('the status of a simulated call');
  const all = (listOrNull(call.logs) ?? []).map(decodeSimulatedLog);
  return {
    status,
    /** The returned data, or the payload of the revert. */
    data: (status === '0x0' && revertPayloadIn(call.error)) || readReturned(call.returnData),
    gasUsed: quantity(call.gasUsed),
    logs: all.filter((log) => !isTransfer(log)),
    transfers: all.filter(isTransfer).map(toTransfer),
  };
}

function decodeSimulatedLog(value: unknown): RpcSimulatedLog {
  const { address, topics, data: payload } = asObject<Record<string, unknown>>(value, 'a simulated log');
  if (isNullish(address) || !isAddressOrNullish(address)) throw invalidShape('a log with an address');
  return { address: data(address), topics: list(word)(topics), data: data(payload) };
}

/** The payload of a revert. geth returns it only in the error. */
const revertPayloadIn = (error: unknown): Data | undefined =>
  typeof error === 'object' && error !== null && 'data' in error ? revertPayloadOf(error.data) : undefined;

function readReturned(value: unknown): Data {
  if (typeof value !== 'string' || value.length <= 2 + 2 * MAX_RETURN_DATA_BYTES) return data(value);
  const message = `A simulated call returns more than ${MAX_RETURN_DATA_BYTES} bytes.`;
  const actual = (value.length - 2) / 2;
  throw new GraphError('RESULT_TOO_LARGE', message, { limit: MAX_RETURN_DATA_BYTES, actual, method: 'eth_simulateV1' });
}

/** An access list with the gas that the call used. Source: `eth_createAccessList`. */
export type RpcAccessListResult = ReturnType<typeof readAccessListResult>;

/** Reads a result of `eth_createAccessList`, whose property `error` means that the call failed. Throws UPSTREAM_BAD_RESPONSE. */
export function readAccessListResult(value: unknown) {
  const { accessList, gasUsed, error } = asObject<Record<string, unknown>>(value, 'an access list');
  return {
    accessList: readAccessTuples(accessList),
    gasUsed: quantity(gasUsed),
    status: isNullish(error) || error === '' ? '0x1' : '0x0',
  };
}

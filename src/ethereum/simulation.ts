import { isAddressOrNullish, isHash, isNullish, readAccessTuples, readBlock, sameNumber } from './block-results.ts';
import type { RpcCallObject } from './call-object.ts';
import { asObject, invalidShape, list, listOrNull, nullable, quantity, word } from './decoders.ts';
import { type Data, type Quantity, quantityOf, sameData, toBigInt } from './hex.ts';
import { decodeRevertReason, MAX_ERROR_CHARS, readReturnData, revertPayloadOf } from './revert-error.ts';
import type { RpcBlock, RpcLog } from './rpc-types.ts';
import { TRANSFER_TOPIC } from './tokens.ts';

/** The override of an account, and of its storage by slot. */
export interface RpcAccountOverride {
  readonly code?: Data;
  readonly state?: Readonly<Record<Data, Data>>;
  readonly stateDiff?: Readonly<Record<Data, Data>>;
}

/** A block to simulate, in the form of `eth_simulateV1`. */
export interface RpcBlockStateCalls {
  readonly blockOverrides?: { readonly number?: Quantity };
  readonly stateOverrides?: Readonly<Record<Data, RpcAccountOverride>>;
  readonly calls?: readonly RpcCallObject[];
}

/** The parameter of `eth_simulateV1`. */
export interface RpcSimulationRequest {
  readonly blockStateCalls: readonly RpcBlockStateCalls[];
  readonly traceTransfers?: boolean;
  readonly validation?: boolean;
  readonly returnFullTransactions?: boolean;
}

/** A log of a simulated call. With `traceTransfers`, transfers of the native currency are logs, too. */
export type RpcSimulatedLog = Omit<RpcLog, 'removed'>;

/** A transfer of the native currency, in wei, with the position of its log. */
export type RpcNativeTransfer = ReturnType<typeof toNativeTransfer>;

/** The result of a simulated call. */
export type RpcSimulatedCall = ReturnType<typeof decodeCall>;

/** A simulated block. */
export interface RpcSimulatedBlock extends RpcBlock {
  readonly calls: readonly RpcSimulatedCall[];
}

/** The address of the logs with which `traceTransfers` reports transfers; no contract can have it. */
const TRACED_ADDRESS = `0x${'ee'.repeat(20)}`;

/** Whether a log is a transfer of the native currency that `traceTransfers` has added. */
export const isTracedTransfer = ({ address, topics }: RpcSimulatedLog): boolean =>
  sameData(address, TRACED_ADDRESS) && topics.length === 3 && sameData(topics[0], TRANSFER_TOPIC);

const addressIn = (topic: unknown): Data => `0x${word(topic).slice(-40)}`;

/** Reads a log of a transfer of the native currency. Throws UPSTREAM_BAD_RESPONSE. */
export const toNativeTransfer = ({ topics: [, from, to], data: amount, address, ...position }: RpcSimulatedLog) => ({
  ...position,
  from: addressIn(from),
  to: addressIn(to),
  value: quantityOf(toBigInt(word(amount))),
});

/**
 * Reads the result of a simulation: each requested block with one result for each call, and between them blocks without
 * calls that the node has inserted. Throws UPSTREAM_BAD_RESPONSE, and RESULT_TOO_LARGE for a call that returns more than
 * 1 MiB. Like the logs of other results, the values of logs are not decoded.
 */
export function readSimulation(value: unknown, request: RpcSimulationRequest): readonly RpcSimulatedBlock[] {
  const { blockStateCalls, returnFullTransactions = false } = request;
  let position = 0;
  const blocks = list((entry): RpcSimulatedBlock => {
    // As of a pending block, the position of its transactions is null in the results of some nodes.
    const block = readBlock(entry, 'pending', returnFullTransactions);
    if (!block || !isHash(block.hash) || isNullish(block.number))
      throw invalidShape('a simulated block with a hash and a number');
    const requested = blockStateCalls[position];
    const number = requested?.blockOverrides?.number;
    const isInserted = number !== undefined && !sameNumber(block.number, number);
    if (!isInserted) position += 1;
    const calls = list(decodeCall)((block as { calls?: unknown }).calls);
    if (calls.length !== (isInserted ? 0 : (requested?.calls?.length ?? 0)))
      throw invalidShape('one result for each simulated call');
    return { ...block, calls };
  })(value);
  if (position !== blockStateCalls.length) throw invalidShape('one result for each simulated block');
  return blocks;
}

function decodeCall(value: unknown) {
  const call = asObject(value, 'a simulated call');
  const status = quantity(call.status);
  if (status !== '0x0' && status !== '0x1') throw invalidShape('the status of a simulated call');
  const error = status === '0x0' ? decodeError(call.error) : null;
  return {
    status,
    /** The returned data, or the payload of the revert, which geth returns only in the error. */
    data: error?.data ?? readReturnData(call.returnData, 'eth_simulateV1', 'A simulated call'),
    gasUsed: quantity(call.gasUsed),
    maxUsedGas: nullable(quantity)(call.maxUsedGas),
    error,
    /** All logs. A plain loop checks them, because there can be a hundred thousand. */
    logs: checkLogs(call.logs),
  };
}

function checkLogs(value: unknown): readonly RpcSimulatedLog[] {
  const logs = listOrNull<RpcSimulatedLog | null>(value) ?? [];
  for (const log of logs) {
    if (isNullish(log) || isNullish(log.address) || !isAddressOrNullish(log.address) || !Array.isArray(log.topics)) {
      throw invalidShape('a log with an address and topics');
    }
  }
  return logs as readonly RpcSimulatedLog[];
}

/**
 * Failures of the virtual machine, in words that nodes share. The text of a node selects one and is never passed on,
 * because it can contain the key of the endpoint. The first that occurs counts.
 */
const EXECUTION_FAILURES = [
  'execution reverted',
  'contract creation code storage out of gas',
  'out of gas',
  'gas uint64 overflow',
  'stack underflow',
  'stack overflow',
  'stack limit reached',
  'invalid opcode',
  'invalid jump destination',
  'write protection',
  'return data out of bounds',
  'max code size exceeded',
  'max initcode size exceeded',
  'invalid code: must not begin with 0xef',
  'contract address collision',
  'insufficient balance for transfer',
  'max call depth exceeded',
  'nonce uint64 overflow',
];

/** The JSON-RPC error code of geth and others for a revert. */
const REVERT_CODE = 3;

function decodeError(value: unknown) {
  const { code, message, data: payload } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const reverted = revertPayloadOf(payload) ?? null;
  const text = code === REVERT_CODE ? EXECUTION_FAILURES[0]! : String(message).slice(0, MAX_ERROR_CHARS).toLowerCase();
  const failure = EXECUTION_FAILURES.find((known) => text.includes(known)) ?? 'execution failed';
  const reason = reverted && decodeRevertReason(reverted);
  return {
    code: Number.isInteger(code) && Math.abs(code as number) < 2 ** 31 ? (code as number) : null,
    message: reason === null ? failure : `${failure}: ${reason}`,
    data: reverted,
  };
}

/** An access list with the gas that the call used. Source: `eth_createAccessList`. */
export type RpcAccessListResult = ReturnType<typeof readAccessListResult>;

/** Reads a result of `eth_createAccessList`, whose property `error` means that the call failed. Throws UPSTREAM_BAD_RESPONSE. */
export function readAccessListResult(value: unknown) {
  const { accessList, gasUsed, error } = asObject(value, 'an access list');
  return {
    accessList: readAccessTuples(accessList),
    gasUsed: quantity(gasUsed),
    status: isNullish(error) || error === '' ? '0x1' : '0x0',
  };
}

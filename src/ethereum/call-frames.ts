import { isAddressOrNullish, isNullish } from './block-results.ts';
import { asObject, invalidShape, listOrNull, type RawObject } from './decoders.ts';
import { type Quantity, toBigInt } from './hex.ts';
import { failureOf } from './revert-error.ts';

const CALL_TYPES = ['CALL', 'STATICCALL', 'DELEGATECALL', 'CALLCODE', 'CREATE', 'CREATE2', 'SELFDESTRUCT'] as const;

/** A call of a transaction. The executor calls a function for the used gas. */
export type CallFrame = Omit<ReturnType<typeof toFrame>, 'gasUsed'> & {
  readonly gasUsed: Quantity | null | (() => Promise<Quantity | null>);
};

/** Types of calls that move no value of their own, although some nodes repeat the value of the caller. */
const WITHOUT_VALUE: ReadonlySet<string> = new Set(['STATICCALL', 'DELEGATECALL']);

/** Converts a call in the form of `callTracer`. The accounts are checked because they become arguments; the scalars check the rest. */
function toFrame(call: RawObject, depth: number, traceAddress: readonly number[] | (() => readonly number[]), subtraces: number) {
  const type = CALL_TYPES.find((known) => known === call.type);
  const { from, to, value, gas, gasUsed, input, output } = call as Readonly<Record<string, string | null | undefined>>;
  if (!type || isNullish(from) || !isAddressOrNullish(from) || !isAddressOrNullish(to))
    throw invalidShape('a call of a known type with its accounts');
  const error = failureOf(call.error);
  const hasGas = type !== 'SELFDESTRUCT';
  return {
    ...{ type, depth, traceAddress, subtraces, from, error, input: input ?? '0x' },
    // A failed creation creates no account.
    to: error && type.startsWith('CREATE') ? null : (to ?? null),
    value: WITHOUT_VALUE.has(type) ? null : (value ?? null),
    gas: hasGas && gas !== undefined ? gas : null,
    gasUsed: hasGas && gasUsed !== undefined ? gasUsed : null,
    // Nodes omit an empty output; only a revert returns data in spite of an error.
    output: call.isOutputUnknown || (error && error !== 'REVERTED') ? null : (output ?? '0x'),
  };
}

const objectIn = (value: unknown): RawObject => asObject(value ?? {});
const textIn = (value: unknown): string => (typeof value === 'string' ? value.toUpperCase() : '');

/** Converts an entry of `trace_transaction` to the form of `callTracer`. */
export function toCall({ type, action, result, error }: RawObject): RawObject {
  const { callType, creationMethod, init, address, refundAddress, balance, ...call } = objectIn(action);
  const returned = objectIn(result);
  if (type === 'suicide' || type === 'selfdestruct')
    return { type: 'SELFDESTRUCT', from: address, to: refundAddress, value: balance };
  const outcome = { gasUsed: returned.gasUsed, error, isOutputUnknown: isNullish(result) };
  return type === 'create'
    ? { ...call, ...outcome, type: textIn(creationMethod) || 'CREATE', input: init, to: returned.address, output: returned.code }
    : { ...call, ...outcome, type: textIn(callType), output: returned.output };
}

/** The calls of a transaction as the node sends them: the tree of `callTracer`, or the flat list of `trace_transaction`. */
export type RawCalls = RawObject | readonly RawObject[];

const isList = (calls: RawCalls): calls is readonly RawObject[] => Array.isArray(calls);

/** Position of a call in a tree. The executor computes the path only if it is selected: a path is as long as the call is deep. */
interface Position {
  readonly parent: Position | undefined;
  readonly index: number;
  readonly depth: number;
}

function pathTo(position: Position): readonly number[] {
  const path: number[] = [];
  for (let at: Position = position; at.parent; at = at.parent) path.push(at.index);
  return path.reverse();
}

/** Walks a call tree in depth-first order. */
function* framesOfTree(top: RawObject): Generator<CallFrame> {
  /** The calls that contain the current one, each with the number of inner calls that are listed. */
  const open: { readonly position: Position; readonly inner: readonly unknown[]; listed: number }[] = [];
  const enter = (call: RawObject, position: Position): CallFrame => {
    const inner = listOrNull(call.calls) ?? [];
    open.push({ position, inner, listed: 0 });
    return toFrame(call, position.depth, () => pathTo(position), inner.length);
  };
  yield enter(top, { parent: undefined, index: 0, depth: 0 });
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const { position: parent, inner } = last;
    const index = last.listed++;
    if (index < inner.length) yield enter(asObject(inner[index], 'a call'), { parent, index, depth: parent.depth + 1 });
    else open.pop();
  }
}

/** Converts the entries of a call list. */
function* framesOfList(entries: readonly RawObject[]): Generator<CallFrame> {
  for (const entry of entries) {
    const { traceAddress, subtraces } = entry;
    if (!Array.isArray(traceAddress) || typeof subtraces !== 'number') throw invalidShape('a call with a position');
    yield toFrame(toCall(entry), traceAddress.length, traceAddress, subtraces);
  }
}

/**
 * Lists the calls of a transaction in depth-first order. Nodes disagree on whether the gas of the outermost call includes the intrinsic gas, and lists leave it
 * out of the used gas, which `gasUsed` then returns.
 */
export function* callFrames(
  calls: RawCalls,
  { gas }: { readonly gas?: Quantity },
  gasUsed: () => Promise<Quantity | null>,
): Generator<void, readonly CallFrame[]> {
  const frames: CallFrame[] = [];
  for (const frame of isList(calls) ? framesOfList(calls) : framesOfTree(calls)) {
    const isOutermost = frames.length === 0;
    frames.push(isOutermost ? { ...frame, gas: gas ?? frame.gas, gasUsed: isList(calls) ? gasUsed : frame.gasUsed } : frame);
    yield;
  }
  return frames;
}

/** Lists the transfers of ether inside a transaction, without its own. A failed call reverts the transfers inside it, too. */
export function internalTransfers(frames: readonly CallFrame[]) {
  let failedDepth = Number.POSITIVE_INFINITY;
  return frames.flatMap(({ type, depth, from, to, value, error }) => {
    if (depth <= failedDepth) failedDepth = error ? depth : Number.POSITIVE_INFINITY;
    // CALLCODE sends the value to the caller itself.
    const isMoved = depth > 0 && failedDepth === Number.POSITIVE_INFINITY && type !== 'CALLCODE';
    return isMoved && to && value && toBigInt(value) > 0n ? [{ from, to, value }] : [];
  });
}

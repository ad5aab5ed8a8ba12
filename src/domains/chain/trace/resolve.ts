import type { GraphQLResolveInfo } from 'graphql';
import type { CallFrame } from '../../../ethereum/call-frames.ts';
import { listOrNull, word } from '../../../ethereum/decoders.ts';
import { type Data, isData, type Quantity } from '../../../ethereum/hex.ts';
import { failureOf, MAX_RETURN_DATA_BYTES } from '../../../ethereum/revert-error.ts';
import { prefixedHex } from '../../../ethereum/traces.ts';
import type { Resolvers } from '../../../generated/chain.ts';
import { resolveAccountAt } from '../links.ts';
import type { ChainContext } from '../load.ts';
import { transactionPlanByPosition } from '../transaction/plan.ts';
import type { TracedTransaction } from './load.ts';

/** A step of an execution as the node sends it. */
export interface RawStructLog {
  readonly op?: unknown;
  readonly stack?: unknown;
  readonly memory?: unknown;
  readonly storage?: Readonly<Record<string, unknown>> | null;
  readonly returnData?: unknown;
  readonly error?: unknown;
}

/** Name of an opcode. Rejects any other text, because it can contain the key of the endpoint. */
const OPCODE = /^[A-Z][A-Z0-9_]{1,15}$/;

/** The payload of a revert; null for any other call, and above 1 MiB. */
const payloadOf = ({ output, error }: CallFrame): Data | null =>
  error === 'REVERTED' && isData(output) && output.length <= 2 + 2 * MAX_RETURN_DATA_BYTES ? output : null;

/** Completes the transaction of a trace with the selected fields. */
const transaction = (traced: TracedTransaction, _args: unknown, { chain }: ChainContext, info: GraphQLResolveInfo) =>
  chain.transactions.completeTransaction(traced.transaction, transactionPlanByPosition(info));

export const traceResolvers = {
  TransactionTrace: { transaction },
  ExecutionTrace: { transaction },
  CallFrame: {
    from: ({ from }, { block }, context, info) => resolveAccountAt(from, block, context, info)!,
    to: ({ to }, { block }, context, info) => resolveAccountAt(to, block, context, info),
    decoded: (frame, _args, { chain }) => (frame.type.startsWith('CREATE') ? null : chain.decoder.decodedCall(frame)),
    revertReason: (frame, _args, { chain }) => chain.decoder.revertReason(payloadOf(frame), frame.to),
    revertError: (frame, _args, { chain }) => chain.decoder.revertError(payloadOf(frame), frame.to),
  },
  AccountDiff: {
    account: ({ address }, { block }, context, info) => resolveAccountAt(address, block, context, info)!,
  },
  StructLog: {
    op: ({ op }) => (typeof op === 'string' && OPCODE.test(op) ? op : 'INVALID'),
    // The scalars check the values.
    stack: ({ stack }) => listOrNull(stack)?.map((value) => prefixedHex(value) as Quantity) ?? null,
    memory: ({ memory }) => listOrNull(memory)?.map((value) => prefixedHex(value) as Data) ?? null,
    storage: ({ storage }) =>
      storage
        ? Object.entries(storage).map(([slot, value]) => ({ slot: word(prefixedHex(slot)), value: word(prefixedHex(value)) }))
        : null,
    returnData: ({ returnData }) => (returnData ? (prefixedHex(returnData) as Data) : null),
    error: ({ error }) => failureOf(error),
  },
} satisfies Resolvers;

import { readFailedCall } from '../../../ethereum/call-trace.ts';
import type { RpcReceipt } from '../../../ethereum/rpc-types.ts';
import { rpcMethod } from '../../../snapshot/state-methods.ts';
import type { BlockPointer } from '../../../upstream/rpc/rpc-method.ts';

/** Cost of a trace: the node executes the transactions of the block up to this one again. */
const TRACE_COST = 20;

const TOP_CALL = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } };

/** The outcome of a failed transaction, given by its receipt. Few nodes have this method. */
export const failedCallOf = {
  ...rpcMethod(
    'debug_traceTransaction',
    (result: unknown, { from }: RpcReceipt) => readFailedCall(result, from),
    ({ transactionHash }: RpcReceipt) => [transactionHash, TOP_CALL],
  ),
  inclusionBlock: (_result: unknown, { blockNumber, blockHash }: RpcReceipt): BlockPointer => ({
    number: blockNumber,
    hash: blockHash,
  }),
  cost: () => TRACE_COST,
};

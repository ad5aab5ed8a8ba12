import type { Comparison } from '../../external/nodes/comparisons.ts';
import { hex } from '../../support/graph/expected-values.ts';
import { dataOf } from '../../support/graph/results.ts';
import type { CallNode } from '../../support/graph/rpc.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { type ForkHistory, WORD } from './history.ts';

const execute = <const Text extends string>(graph: RunningGraph, query: Text, variables?: Record<string, unknown>) =>
  dataOf(graph.execute(query, variables));

/** A selection of the results of calls, at a block or in the pending state. */
export const CALLS = `success: call(data: $success) { data gasUsed status } failure: call(data: $failure) { data gasUsed status }
  estimateGas(data: $success)`;

/** The result of a call of a node: `eth_call`, and the execution of `debug_traceCall`. */
async function expectedCall(call: CallNode, request: unknown, block: string) {
  const { gas, failed, returnValue } = await call('debug_traceCall', request, block, {});
  const data = failed ? returnValue : await call('eth_call', request, block);
  return { data: data || '0x', gasUsed: hex(gas), status: failed ? '0x0' : '0x1' };
}

const callRequests = ({ contract, people: [from] }: ForkHistory) => {
  const success = { from, to: contract, gas: '0x30d40', data: WORD };
  return { success, failure: { from, to: contract, gas: '0x30d40' } };
};

/** Calls and estimates below each block with the contract. */
export async function* forkCalls(graph: RunningGraph, call: CallNode, history: ForkHistory): AsyncGenerator<Comparison> {
  const requests = callRequests(history);
  const head = Number(await call('eth_blockNumber'));
  for (let n = 1; n <= head; n++) {
    const { block } = await execute(
      graph,
      `query ($n: Long, $success: CallData!, $failure: CallData!) { block(number: $n) { ${CALLS} } }`,
      { n, ...requests },
    );
    const expected = {
      success: await expectedCall(call, requests.success, hex(n)),
      failure: await expectedCall(call, requests.failure, hex(n)),
      estimateGas: await call('eth_estimateGas', requests.success, hex(n)),
    };
    yield { what: `calls below block ${n}`, actual: block, expected };
  }
}

/** The pending state, with the transaction in the pool. */
export async function* forkPendingState(graph: RunningGraph, call: CallNode, history: ForkHistory): AsyncGenerator<Comparison> {
  const requests = callRequests(history);
  const [, address] = history.people;
  const { pending } = await execute(
    graph,
    `query ($success: CallData!, $failure: CallData!, $a: Address!) { pending {
      transactionCount transactions { hash value inputData } account(address: $a) { address balance transactionCount } ${CALLS}
    } }`,
    { ...requests, a: address },
  );
  const { transactions } = await call('eth_getBlockByNumber', 'pending', true);
  const expected = {
    transactionCount: hex(transactions.length),
    transactions: transactions.map(({ hash, value, input }) => ({ hash, value, inputData: input })),
    account: {
      address,
      balance: await call('eth_getBalance', address, 'pending'),
      transactionCount: await call('eth_getTransactionCount', address, 'pending'),
    },
    success: await expectedCall(call, requests.success, 'pending'),
    failure: await expectedCall(call, requests.failure, 'pending'),
    estimateGas: await call('eth_estimateGas', requests.success, 'pending'),
  };
  yield { what: 'the pending state', actual: pending, expected };
}

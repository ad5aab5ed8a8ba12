import { expect } from '@jest/globals';
import { Interface } from 'ethers';
import type { Comparison } from '../../external/nodes/comparisons.ts';
import { hex, pick } from '../../support/graph/expected-values.ts';
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

const TRACES = `trace { type traceAddress subtraces from { address } to { address } value gas gasUsed input output error }
  stateDiff { address balanceBefore balanceAfter nonceBefore nonceAfter codeBefore codeAfter storage { slot before after } }
  executionTrace { gas failed returnValue }`;

/** The failures of the history by the texts of anvil. */
const FAILURES: Readonly<Record<string, string>> = { 'execution reverted': 'REVERTED', NotActivated: 'INVALID_OPCODE' };

/** The calls of a trace of `callTracer`. The history makes no calls inside others. */
const expectedCalls = ({ type, from, to, value, gasUsed, input, output, error }: any, gas: string) => [
  {
    ...{ type, traceAddress: [], subtraces: 0, from: { address: from }, to: { address: to }, value, gas, gasUsed, input },
    output: error && error !== 'execution reverted' ? null : (output ?? '0x'),
    error: error ? FAILURES[error] : null,
  },
];

/** The values of `prestateTracer` before and after a transaction, where they differ. */
function expectedDiffs({ pre, post }: { pre: Record<string, any>; post: Record<string, any> }) {
  const quantity = (value: string | number) => (typeof value === 'number' ? hex(value) : value);
  const addresses = [...new Set([...Object.keys(pre), ...Object.keys(post)])].sort();
  return addresses.map((address) => {
    const [before, after] = [pre[address] ?? {}, post[address] ?? {}];
    const change = (property: string, none: string): [string | null, string | null] => {
      const values = [quantity(before[property] ?? none), quantity(after[property] ?? before[property] ?? none)] as [
        string,
        string,
      ];
      return values[0] === values[1] ? [null, null] : values;
    };
    const [balanceBefore, balanceAfter] = change('balance', '0x0');
    const [nonceBefore, nonceAfter] = change('nonce', '0x0');
    const [codeBefore, codeAfter] = change('code', '0x');
    const [slots, changed] = [before.storage ?? {}, after.storage ?? {}];
    const zero = `0x${'0'.repeat(64)}`;
    const storage = [...new Set([...Object.keys(slots), ...Object.keys(changed)])]
      .sort()
      .map((slot) => ({ slot, before: slots[slot] ?? zero, after: changed[slot] ?? zero }));
    return { address, balanceBefore, balanceAfter, nonceBefore, nonceAfter, codeBefore, codeAfter, storage };
  });
}

/** The traces, the changed accounts and the executions of each mined transaction. */
export async function* forkTraces(graph: RunningGraph, call: CallNode): AsyncGenerator<Comparison> {
  const head = Number(await call('eth_blockNumber'));
  for (let n = 1; n <= head; n++) {
    const { block } = await execute(
      graph,
      `query ($n: Long) { block(number: $n) { transactions { ${TRACES} } traces { transaction { hash } calls { type gas } } } }`,
      { n },
    );
    const { hash, transactions } = await call('eth_getBlockByNumber', hex(n), true);
    const inBlock = await call('debug_traceBlockByHash', hash, { tracer: 'callTracer' });
    const expected = await Promise.all(
      transactions.map(async ({ hash, gas }) => {
        const trace = (...options: object[]) => call('debug_traceTransaction', hash, ...options);
        const steps = await trace({});
        return {
          trace: expectedCalls(await trace({ tracer: 'callTracer' }), gas),
          stateDiff: expectedDiffs(await trace({ tracer: 'prestateTracer', tracerConfig: { diffMode: true } })),
          executionTrace: { gas: hex(steps.gas), failed: steps.failed, returnValue: steps.returnValue },
        };
      }),
    );
    const traces = transactions.map(({ hash, gas }, i) => ({
      transaction: { hash },
      calls: [{ type: inBlock[i].result.type, gas }],
    }));
    yield { what: `traces in block ${n}`, actual: block, expected: { transactions: expected, traces } };
  }
}

/** Two simulated blocks on top of each block with the contract: a call that succeeds, one that fails and a transfer of ether. */
export async function* forkSimulations(graph: RunningGraph, call: CallNode, history: ForkHistory): AsyncGenerator<Comparison> {
  const [payer, payee] = history.people;
  const { success, failure } = callRequests(history);
  const [timestamp, later] = ['0x70000000', '0x70000001'];
  /** The node reports transfers of ether as logs of an address that no contract has. */
  const isEvent = ({ address }: { address: string }) => address !== `0x${'e'.repeat(40)}`;
  const transfer = { from: payer, to: payee, value: '0x9', gas: '0x5208' };
  const head = Number(await call('eth_blockNumber'));
  for (let n = 1; n <= head; n++) {
    const blocks = [
      { blockOverrides: { timestamp }, calls: [success, failure] },
      { blockOverrides: { timestamp: later }, calls: [transfer] },
    ];
    const { simulate } = await execute(
      graph,
      `query ($n: Long, $blocks: [SimulatedBlockInput!]) { simulate(block: $n, blocks: $blocks) { blocks {
        number timestamp gasLimit gasUsed baseFeePerGas logsBloom miner { address }
        calls { data gasUsed status logs { account { address } topics data index } transfers { from { address } to { address } value } }
      } } }`,
      { n, blocks },
    );
    const blockStateCalls = [
      { blockOverrides: { time: timestamp }, calls: [success, failure] },
      { blockOverrides: { time: later }, calls: [transfer] },
    ];
    const results = await call('eth_simulateV1', { blockStateCalls, traceTransfers: true, validation: false }, hex(n));
    const expected = results.map((raw: any) => ({
      ...pick(raw, 'number timestamp gasLimit gasUsed baseFeePerGas logsBloom'),
      miner: { address: raw.miner },
      calls: raw.calls.map(({ returnData: data, gasUsed, status, logs }: any) => ({
        ...{ data, gasUsed, status },
        logs: logs.filter(isEvent).map(({ address, topics, data, logIndex }: any) => ({
          ...{ account: { address }, topics, data, index: logIndex },
        })),
        transfers: logs.some((log: any) => !isEvent(log))
          ? [{ from: { address: payer }, to: { address: payee }, value: '0x9' }]
          : [],
      })),
    }));
    expect(results[1].calls[0].logs).toHaveLength(1);
    yield { what: `a simulation above block ${n}`, actual: simulate.blocks, expected };
  }
}

/** A typed read of the contract, which returns the first word of its call data, at each block with the contract. */
export async function* forkReads(graph: RunningGraph, call: CallNode, { contract }: ForkHistory): AsyncGenerator<Comparison> {
  const store = new Interface(['function store(uint256 value) returns (bytes32 word)']);
  const head = Number(await call('eth_blockNumber'));
  for (let n = 1; n <= head; n++) {
    const { block } = await execute(
      graph,
      `query ($n: Long, $a: Address!) { block(number: $n) { account(address: $a) {
        read(function: "store(uint256)(bytes32)", args: ["7"]) { results { type value } }
      } } }`,
      { n, a: contract },
    );
    const data = await call('eth_call', { to: contract, data: store.encodeFunctionData('store', [7]) }, hex(n));
    const expected = {
      account: { read: { results: [{ type: 'bytes32', value: store.decodeFunctionResult('store', data)[0] }] } },
    };
    yield { what: `a typed read at block ${n}`, actual: block, expected };
  }
}

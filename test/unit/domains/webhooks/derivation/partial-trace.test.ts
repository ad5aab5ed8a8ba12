import { expect, jest, test } from '@jest/globals';
import { createInternalReads } from '../../../../../src/domains/webhooks/derivation/internal-transfers.ts';
import type { RpcTransaction } from '../../../../../src/ethereum/rpc-types.ts';
import { ResponseDependencies } from '../../../../../src/operation/response-dependencies.ts';
import { Snapshot } from '../../../../../src/snapshot/index.ts';
import { withMovedClock } from '../../../../support/clock.ts';
import { createInProcessGraph } from '../../../../support/graph/in-process-graph.ts';
import { rpcError, type StubResponses, startStubNode } from '../../../../support/graph/stubbed-graph.ts';
import { unsyncedSources } from '../../../../support/graph/unsynced-follower.ts';
import { addressOf, hashOf, transactionFixture } from '../../../../support/upstream/rpc-fixtures.ts';

const [FIRST, SECOND] = [0x71, 0x72].map((n) => transactionFixture({ hash: hashOf(n) }) as unknown as RpcTransaction) as [
  RpcTransaction,
  RpcTransaction,
];
const block = { hash: hashOf(0xb10), number: '0x10', transactions: [FIRST, SECOND] };
const callOf = ({ from, to, value }: RpcTransaction) => ({ type: 'CALL', from, to, value, gas: '0x1', input: '0x' });
const pays = { type: 'CALL', from: addressOf(0xb), to: addressOf(0xc), value: '0x5', gas: '0x1', input: '0x' };

async function startReads(responses: StubResponses) {
  const stub = await startStubNode({ eth_chainId: '0x1', ...responses });
  const { node } = createInProcessGraph([stub.url], { headerChecks: 'report' });
  const { signal } = new AbortController();
  const operation = { requestId: 'test', signal, block: undefined, extensions: {}, dependencies: new ResponseDependencies() };
  const warn = jest.fn();
  const readInternal = createInternalReads({ warn });
  const read = async () => [...(await readInternal(new Snapshot(unsyncedSources(node), operation), block)).values()].flat();
  return { read, warn };
}

// docs/webhooks.md: if the node "sends a trace that does not fit the block, the block has no internal transfers".
test('a block has no internal transfers if one of its traces has a call of an unknown type', async () => {
  const traces = [
    { txHash: FIRST.hash, result: { ...callOf(FIRST), calls: [pays] } },
    { txHash: SECOND.hash, result: { ...callOf(SECOND), calls: [{ ...pays, type: 'UNKNOWN' }] } },
  ];
  const { read, warn } = await startReads({ debug_traceBlockByHash: traces });
  expect(await read()).toEqual([]);
  expect(warn).toHaveBeenCalledTimes(1);
});

// docs/webhooks.md: "After a timeout or another error that may pass, the server reads the block again". "After five minutes of such errors, …"
test('a block is read again if its trace fails, for five minutes; then blocks are not traced for five minutes', async () => {
  let trace: unknown = rpcError(-32000, 'Monthly capacity limit exceeded.');
  const { read, warn } = await startReads({ debug_traceBlockByHash: () => trace });
  await withMovedClock(async (moveTo) => {
    for (const after of [0, 200_000]) {
      moveTo(after);
      await expect(read()).rejects.toMatchObject({ code: 'UPSTREAM_QUOTA_EXCEEDED' });
    }
    moveTo(301_000);
    expect(await read()).toEqual([]);
    expect(warn).toHaveBeenCalledTimes(1);
    trace = [FIRST, SECOND].map((transaction) => ({
      txHash: transaction.hash,
      result: { ...callOf(transaction), calls: [pays] },
    }));
    expect(await read()).toEqual([]);
    moveTo(700_000);
    expect(await read()).toHaveLength(2);
  });
});

import { expect, jest, test } from '@jest/globals';
import { createInternalReads } from '../../../../../src/domains/webhooks/derivation/internal-transfers.ts';
import type { RpcTransaction } from '../../../../../src/ethereum/rpc-types.ts';
import { ResponseDependencies } from '../../../../../src/operation/response-dependencies.ts';
import { Snapshot } from '../../../../../src/snapshot/index.ts';
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

async function read(responses: StubResponses) {
  const stub = await startStubNode({ eth_chainId: '0x1', ...responses });
  const { node } = createInProcessGraph([stub.url], { headerChecks: 'report' });
  const { signal } = new AbortController();
  const operation = { requestId: 'test', signal, block: undefined, extensions: {}, dependencies: new ResponseDependencies() };
  const warn = jest.fn();
  const transfers = await createInternalReads({ warn })(new Snapshot(unsyncedSources(node), operation), block);
  return { transfers: [...transfers.values()].flat(), warnings: warn.mock.calls.length };
}

// docs/webhooks.md: if the node "sends a trace that does not fit the block, the block has no internal transfers".
test('a block has no internal transfers if one of its traces has a call of an unknown type', async () => {
  const traces = [
    { txHash: FIRST.hash, result: { ...callOf(FIRST), calls: [pays] } },
    { txHash: SECOND.hash, result: { ...callOf(SECOND), calls: [{ ...pays, type: 'UNKNOWN' }] } },
  ];
  expect(await read({ debug_traceBlockByHash: traces })).toEqual({ transfers: [], warnings: 1 });
});

// docs/webhooks.md: "After a timeout or another error that may pass, the server reads the block again".
test('a block is read again if the quota of the node is used up before its trace', async () => {
  const trace = rpcError(-32000, 'Monthly capacity limit exceeded.');
  await expect(read({ debug_traceBlockByHash: trace })).rejects.toMatchObject({ code: 'UPSTREAM_QUOTA_EXCEEDED' });
});

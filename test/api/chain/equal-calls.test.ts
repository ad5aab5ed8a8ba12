import { expect, test } from '@jest/globals';
import { createRpcResultCache } from '../../../src/snapshot/rpc-result-cache.ts';
import { addressOf, block, hashOf, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';
import { createLongChain, followerOf } from '../../support/upstream/long-chain.ts';

/** Fields that send equal calls, of which each reads another part of the result. */
const HEAD = block();
const simulated = block({
  number: '0x11',
  hash: hashOf(0xb11),
  parentHash: HEAD.hash,
  calls: [{ returnData: '0xabcd', logs: [], gasUsed: '0x5208', status: '0x1' }],
});
const CALL = `{ to: "${addressOf(0xc)}", data: "0x01" }`;
const GAS_USED = `block { call(data: ${CALL}) { gasUsed } }`;
const SIMULATE = `simulate(calls: [${CALL}]) { calls { gasUsed } }`;

test.each([
  ['in one operation', [`{ ${GAS_USED} ${SIMULATE} }`]],
  ['from the cache, gasUsed first', [`{ ${GAS_USED} }`, `{ ${SIMULATE} }`]],
  ['from the cache, simulate first', [`{ ${SIMULATE} }`, `{ ${GAS_USED} }`]],
])('simulate and gasUsed of the same call both have their values %s', async (_case, operations) => {
  const follower = Object.assign(followerOf(createLongChain(20, {}), 1), { subscribe: () => () => {} });
  const cache = createRpcResultCache(1e7, follower);
  const methods = { eth_getBlockByNumber: HEAD, eth_getBlockByHash: HEAD, eth_call: '0xabcd', eth_simulateV1: [simulated] };
  const graph = await startStubbedGraph(methods, { cache });
  const data: Record<string, unknown> = {};
  for (const operation of operations) {
    const result = await graph.execute(operation);
    expect(result.errors).toBeUndefined();
    Object.assign(data, result.data);
  }
  expect(data).toEqual({ block: { call: { gasUsed: '0x5208' } }, simulate: { calls: [{ gasUsed: '0x5208' }] } });
});

test('feeHistory beside nextBaseFeePerGas is checked as feeHistory alone is', async () => {
  const graph = await startStubbedGraph({
    eth_getBlockByNumber: (ref: string) => (ref === '0x11' ? null : block({ baseFeePerGas: '0x64' })),
    eth_feeHistory: { oldestBlock: '0x10', baseFeePerGas: ['0x64', '0x65'], gasUsedRatio: null },
  });
  const codesOf = async (fields: string) => {
    const { errors } = await graph.execute(`{ ${fields} feeHistory(blockCount: 1) { blocks { gasUsedRatio } } }`);
    return errors?.map(({ extensions }) => extensions.code);
  };
  expect([await codesOf(''), await codesOf('block { nextBaseFeePerGas }')]).toEqual([
    ['UPSTREAM_BAD_RESPONSE'],
    ['UPSTREAM_BAD_RESPONSE'],
  ]);
});

test('a call is limited to 1 MiB of data, also when the read of a token has sent it', async () => {
  const name = '0x06fdde03';
  const graph = await startStubbedGraph({
    eth_getBlockByNumber: HEAD,
    eth_getBlockByHash: HEAD,
    eth_chainId: '0x1',
    eth_call: ({ data }: { data: string }) => (data === name ? `0x${'00'.repeat(1_048_577)}` : '0x'),
  });
  const token = `token(address: "${addressOf(0xc)}") { name }`;
  const { errors } = await graph.execute(
    `{ ${token} block { call(data: { to: "${addressOf(0xc)}", data: "${name}" }) { data } } }`,
  );
  expect(errors).toMatchObject([{ path: ['block', 'call'], extensions: { code: 'RESULT_TOO_LARGE' } }]);
});

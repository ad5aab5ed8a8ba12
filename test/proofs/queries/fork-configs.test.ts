import { expect, test } from '@jest/globals';
import { block, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';
import { vectorsOf } from '../../support/vectors/read-vectors.ts';

/** The rules of the chain by fork, and the fee of blobs. */
const CONFIG = `activationTime blobSchedule { target max baseFeeUpdateFraction } chainID forkId precompiles { name address }
  systemContracts { name address }`;
const QUERY = `{ network { config { current { ${CONFIG} } next { ${CONFIG} } last { ${CONFIG} } } } }`;

const [recorded] = vectorsOf('eth_config');
const toHex = (value: number) => `0x${value.toString(16)}`;
const byName = (contracts: Record<string, string>) => Object.entries(contracts).map(([name, address]) => ({ name, address }));

test('the recorded rules are one call and appear field by field', async () => {
  const graph = await startStubbedGraph({ eth_config: recorded!.result });
  const { data, errors } = await graph.execute(QUERY);
  const { current } = recorded!.result;
  expect(errors).toBeUndefined();
  expect(data.network.config).toEqual({
    current: {
      activationTime: toHex(current.activationTime),
      blobSchedule: { ...current.blobSchedule, baseFeeUpdateFraction: toHex(current.blobSchedule.baseFeeUpdateFraction) },
      chainID: current.chainId,
      forkId: current.forkId,
      precompiles: byName(current.precompiles),
      systemContracts: byName(current.systemContracts),
    },
    next: null,
    last: null,
  });
  expect(data.network.config.current.precompiles).toHaveLength(18);
  expect(graph.requested).toEqual([['eth_config']]);
});

test('a planned fork appears, without blobs before Cancun', async () => {
  const { current } = recorded!.result;
  const next = { ...current, activationTime: 600, blobSchedule: null, systemContracts: undefined };
  const graph = await startStubbedGraph({ eth_config: { current, next, last: next } });
  const { data } = await graph.execute(QUERY);
  expect(data.network.config.next).toMatchObject({ activationTime: '0x258', blobSchedule: null, systemContracts: [] });
  expect(data.network.config.last).toEqual(data.network.config.next);
});

test.each([
  ['without rules', {}],
  ['with a contract without an address', { precompiles: { ECREC: '0x1' } }],
  ['with a name that is no identifier', { precompiles: { 'https://node/key': `0x${'0'.repeat(40)}` } }],
  ['with a number of blobs that is no integer', { blobSchedule: { target: '6', max: 9, baseFeeUpdateFraction: 1 } }],
])('a result %s fails with UPSTREAM_BAD_RESPONSE', async (_name, changes) => {
  const current = Object.keys(changes).length === 0 ? null : { ...recorded!.result.current, ...changes };
  const graph = await startStubbedGraph({ eth_config: { current } });
  const { data, errors } = await graph.execute(QUERY);
  expect(data).toEqual({ network: { config: null } });
  expect(errors).toMatchObject([{ path: ['network', 'config'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  expect(JSON.stringify(errors)).not.toContain('key');
});

test('a node without eth_config fails with METHOD_NOT_SUPPORTED on the field', async () => {
  const graph = await startStubbedGraph({});
  const { data, errors } = await graph.execute('{ network { config { current { forkId } } } }');
  expect(data).toEqual({ network: { config: null } });
  expect(errors).toMatchObject([{ extensions: { code: 'METHOD_NOT_SUPPORTED', method: 'eth_config' } }]);
});

const HISTORY = { oldestBlock: '0x10', baseFeePerGas: ['0x1', '0x1'], gasUsedRatio: [0.5], baseFeePerBlobGas: ['0x7', '0x8'] };

test.each<[string, Record<string, unknown>, string | null, readonly string[]]>([
  ['is that of the node', { eth_blobBaseFee: vectorsOf('eth_blobBaseFee')[0]!.result }, '0x1', ['eth_blobBaseFee']],
  ['is null where the node has none', { eth_blobBaseFee: null }, null, ['eth_blobBaseFee']],
  [
    'is in the history of fees on a node without the method',
    { eth_feeHistory: HISTORY, eth_getBlockByNumber: block({ baseFeePerGas: '0x1', gasUsed: '0x1', gasLimit: '0x2' }) },
    '0x7',
    ['eth_blobBaseFee', 'eth_getBlockByNumber', 'eth_feeHistory'],
  ],
])('the blob base fee %s', async (_name, methods, blobBaseFee, requested) => {
  const graph = await startStubbedGraph(methods);
  const { data } = await graph.execute('{ blobBaseFee }');
  expect(data).toEqual({ blobBaseFee });
  expect(graph.requested.map(([method]) => method)).toEqual(requested);
});

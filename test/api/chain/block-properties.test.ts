import { expect, test } from '@jest/globals';
import { getNullableType, isLeafType, isNonNullType } from 'graphql';
import { domains } from '../../../src/app/installed-domains.ts';
import { blockResolvers } from '../../../src/domains/chain/block/resolve.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';
import { dataOf } from '../../support/graph/results.ts';
import { addressOf, block, hashOf, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';
import { EMPTY_ROOT } from '../../support/upstream/rpc-fixtures.ts';

const fields = composeSchema(domains).getType('Block')!;
if (!('getFields' in fields)) throw new Error('Block is not an object type.');
/** The fields of Block with one value and without a resolver: each is the property of that name of the node's block. */
const properties = Object.values(fields.getFields()).filter(
  ({ name, type }) => isLeafType(getNullableType(type)) && !(name in blockResolvers.Block),
);

/** A value of each property that the executor reads without a resolver. */
const VALUES: Readonly<Record<string, string>> = {
  number: '0x10',
  hash: hashOf(1),
  parentHash: hashOf(2),
  transactionsRoot: EMPTY_ROOT,
  stateRoot: hashOf(4),
  receiptsRoot: hashOf(5),
  gasLimit: '0x1c9c380',
  gasUsed: '0x5208',
  baseFeePerGas: '0x64',
  timestamp: '0x6553f100',
  logsBloom: `0x${'0'.repeat(512)}`,
  totalDifficulty: '0x7',
  size: '0x220',
  withdrawalsRoot: hashOf(6),
  blobGasUsed: '0x20000',
  excessBlobGas: '0x40000',
  parentBeaconBlockRoot: hashOf(8),
  requestsHash: hashOf(9),
  slotNumber: '0x99',
  blockAccessListHash: hashOf(7),
};

test('the table has a value of every field of Block that is a property of the block object of the node', () => {
  expect(properties.map(({ name }) => name).sort()).toEqual(Object.keys(VALUES).sort());
});

test.each(Object.entries(VALUES))('Block.%s is the property of the block object, read with one call', async (name, value) => {
  const graph = await startStubbedGraph({ eth_getBlockByHash: block({ hash: hashOf(1), miner: addressOf(1), [name]: value }) });
  const data = await dataOf(graph.execute(`query ($h: Bytes32!) { block(hash: $h) { ${name} } }`, { h: VALUES.hash }));
  expect(data).toEqual({ block: { [name]: value } });
  expect(graph.requested.map(([method]) => method)).toEqual(['eth_getBlockByHash']);
});

const nullable = properties.filter(({ type }) => !isNonNullType(type)).map(({ name }) => name);

test.each(nullable)('Block.%s is null where the block object of the node lacks it', async (name) => {
  const graph = await startStubbedGraph({ eth_getBlockByHash: block({ hash: hashOf(1), [name]: undefined }) });
  const data = await dataOf(graph.execute(`query ($h: Bytes32!) { block(hash: $h) { ${name} } }`, { h: VALUES.hash }));
  expect(data).toEqual({ block: { [name]: null } });
});

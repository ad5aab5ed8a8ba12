import { afterAll, describe, expect, test } from '@jest/globals';
import { getOperationAST, isInterfaceType, isObjectType, parse } from 'graphql';
import { pino } from 'pino';
import { createChainLoaders } from '../../../src/domains/chain/index.ts';
import { createSourceStreamResolver } from '../../../src/graphql/executor/subscribe.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';
import { domains } from '../../../src/serve.ts';
import { createSnapshot } from '../../../src/snapshot/index.ts';
import { createRpcNode } from '../../../src/upstream/rpc/node.ts';
import { block, logFixture, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';

const schema = composeSchema(domains);

describe('where the chain is not followed', () => {
  const node = createRpcNode({ urls: ['http://127.0.0.1:9/'], maxBatchSize: 1, timeoutMs: 100, log: pino({ level: 'silent' }) });
  afterAll(() => node.close());
  const chainOf = createChainLoaders({ maxBlocks: 1, maxLogs: 1 });
  const signal = new AbortController().signal;
  const operation = { requestId: 'test', signal, extensions: {}, isVolatile: false };
  const streamOf = createSourceStreamResolver(schema);

  test.each([
    'newHeads { hash }',
    'logs { data }',
    'pendingTransactions { hash }',
    `transactionStatus(hash: "0x${'1'.repeat(64)}") { status }`,
    'reorgs { depth }',
  ])('%s is refused', async (field) => {
    const document = parse(`subscription { ${field} }`);
    const context = { chain: chainOf(createSnapshot({ node }, operation)) };
    const found = streamOf({ document, operation: getOperationAST(document)!, variables: {}, context });
    await expect(found).rejects.toMatchObject({
      path: [field.match(/^\w+/)![0]],
      originalError: { code: 'METHOD_NOT_SUPPORTED' },
    });
  });
});

test('what a header has in common, blocks and announced headers have alike', () => {
  const header = schema.getType('Header');
  if (!isInterfaceType(header)) throw new Error('Header is no interface');
  const names = schema.getPossibleTypes(header).map(({ name }) => name);
  expect(names.sort()).toEqual(['Block', 'BlockHeader']);
  const fieldsOf = (type: string) => {
    const found = schema.getType(type);
    return isObjectType(found) ? Object.keys(found.getFields()) : [];
  };
  for (const name of names) expect(fieldsOf(name)).toEqual(expect.arrayContaining(Object.keys(header.getFields())));
});

test('logs of queries have cursors; a place that is none is an error on that field alone', async () => {
  const graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ transactions: [`0x${'7'.repeat(64)}`] }),
    eth_getLogs: [logFixture(), logFixture({ logIndex: '0x100000000' })],
  });
  const { data, errors } = await graph.execute(
    '{ block(number: 16) { ... on Header { number ommerHash } logs(filter: {}) { index cursor } } }',
  );
  expect(data.block).toMatchObject({ number: '0x10', ommerHash: block().sha3Uncles });
  expect(data.block.logs).toEqual([
    { index: '0x0', cursor: expect.stringMatching(/^[\w-]{60}$/) },
    { index: '0x100000000', cursor: null },
  ]);
  expect(errors).toMatchObject([{ path: ['block', 'logs', 1, 'cursor'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  await graph.stop();
});

import { afterAll, describe, expect, test } from '@jest/globals';
import { isInterfaceType, isObjectType, parse } from 'graphql';
import { pino } from 'pino';
import { createChainLoaders } from '../../../src/domains/chain/index.ts';
import { createExecutor } from '../../../src/graphql/executor/index.ts';
import { ResponseDependencies } from '../../../src/operation/response-dependencies.ts';
import { Snapshot } from '../../../src/snapshot/index.ts';
import { createRpcNode } from '../../../src/upstream/rpc/node.ts';
import { executionRequest } from '../../support/executor/execution-request.ts';
import { chainSchema } from '../../support/graph/in-process-graph.ts';
import { block, hashOf, logFixture, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';
import { unsyncedSources } from '../../support/graph/unsynced-follower.ts';
import { startIdleFeed } from '../../support/subscriptions/idle-feed.ts';

describe('invalid arguments of a subscription', () => {
  const node = createRpcNode({ urls: ['http://127.0.0.1:9/'], maxBatchSize: 1, timeoutMs: 100, log: pino({ level: 'silent' }) });
  const { feed, stop } = startIdleFeed();
  afterAll(async () => {
    await stop();
    await node.close();
  });
  const chainOf = createChainLoaders({
    maxBlocks: 1,
    maxLogs: 1,
    service: { version: '0.0.0', limits: [] },
    subscriptionSources: { feed, snapshotSources: unsyncedSources(node) },
  });
  const signal = new AbortController().signal;
  const operation = { requestId: 'test', signal, extensions: {}, dependencies: new ResponseDependencies() };
  const executor = createExecutor(chainSchema);

  test.each([
    'logs(after: "x") { data }',
    'logs(filter: { topics: [[], [], [], [], []] }) { data }',
    `transactionStatus(hash: "0x${'1'.repeat(64)}", confirmations: 65) { status }`,
  ])('%s fails with BAD_USER_INPUT and the path of its field', async (field) => {
    const document = parse(`subscription { ${field} }`);
    const context = { chain: chainOf(new Snapshot(unsyncedSources(node), operation)) };
    const stream = executor.subscribe({ ...executionRequest(chainSchema, document)!, context });
    await expect(stream).rejects.toMatchObject({
      path: [field.match(/^\w+/)![0]],
      originalError: { code: 'BAD_USER_INPUT' },
    });
  });
});

test('Block, BlockHeader and PendingBlock implement every field of Header', () => {
  const header = chainSchema.getType('Header');
  if (!isInterfaceType(header)) throw new Error('Header is not an interface');
  const names = chainSchema.getPossibleTypes(header).map(({ name }) => name);
  expect(names.sort()).toEqual(['Block', 'BlockHeader', 'PendingBlock']);
  const fieldsOf = (type: string) => {
    const definition = chainSchema.getType(type);
    return isObjectType(definition) ? Object.keys(definition.getFields()) : [];
  };
  for (const name of names) expect(fieldsOf(name)).toEqual(expect.arrayContaining(Object.keys(header.getFields())));
});

test('the cursor of a queried log with an invalid position is null with UPSTREAM_BAD_RESPONSE', async () => {
  const graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ transactions: [hashOf(0x71)] }),
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
});

import { expect, test } from '@jest/globals';
import { readTokenLists } from '../../../src/config/token-lists.ts';
import { accountReads } from '../../../src/domains/chain/account/methods.ts';
import { createTokenLoaders } from '../../../src/domains/tokens/loaders/index.ts';
import { CancellationToken } from '../../../src/lib/abort.ts';
import { NO_BUDGET_LIMITS, OperationBudget } from '../../../src/lib/operation-budget.ts';
import type { Operation } from '../../../src/operation/operation.ts';
import { ResponseDependencies } from '../../../src/operation/response-dependencies.ts';
import { Snapshot } from '../../../src/snapshot/index.ts';
import { createLiveCalls } from '../../../src/snapshot/live-calls.ts';
import { createRpcNode } from '../../../src/upstream/rpc/node.ts';
import { createGate } from '../../support/gate.ts';
import { addressOf, block, hashOf, startStubNode } from '../../support/graph/stubbed-graph.ts';
import { unsyncedSources } from '../../support/graph/unsynced-follower.ts';
import { log } from '../../support/silent-log.ts';

const HASH = hashOf(0xb10);

const liveOperation = (): Operation => ({
  requestId: 'test',
  signal: new CancellationToken(),
  block: HASH,
  event: { root: undefined, block: HASH, isLive: true },
  extensions: {},
  dependencies: new ResponseDependencies(),
  budget: new OperationBudget(NO_BUDGET_LIMITS),
});

test('a contract that one live query names as a token does not delay the live queries of others', async () => {
  const stub = await startStubNode({ eth_getBlockByHash: block(), eth_getBalance: '0x7', eth_call: '0x', eth_chainId: '0x1' });
  const answered = createGate();
  // The contract uses all the gas that the node permits.
  stub.rewrite = async (body, request) => {
    if (JSON.stringify(request).includes('eth_call')) await answered.opened;
    return body;
  };
  const node = createRpcNode({ urls: [stub.url], maxBatchSize: 100, timeoutMs: 10_000, headerChecks: 'report', log });
  const sources = { ...unsyncedSources(node), liveCalls: createLiveCalls(node) };
  const tokensOf = createTokenLoaders({ enhancedMethods: 'plain', lists: readTokenLists([], []) });

  // As in a running server: the chain id and the head are known.
  await node.chainId(new CancellationToken());
  const first = new Snapshot(sources, liveOperation());
  const other = new Snapshot(sources, liveOperation());
  await Promise.all([first.pin.head(), other.pin.head()]);
  const metadata = tokensOf(first).metadata(addressOf(0xbad));
  const balance = other.stateReader.read(accountReads.balance, { address: addressOf(1), at: 'latest' });
  metadata.catch(() => {});
  expect(await balance).toBe('0x7');
  answered.open();
  await metadata.catch(() => {});
  await node.close();
  expect(stub.posts.filter((methods) => methods.includes('eth_call') && methods.includes('eth_getBalance'))).toEqual([]);
});

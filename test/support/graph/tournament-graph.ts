import { readTokenLists } from '../../../src/config/token-lists.ts';
import { chain } from '../../../src/domains/chain/index.ts';
import { createChainLoaders } from '../../../src/domains/chain/load.ts';
import type { DomainServices } from '../../../src/domains/domain.ts';
import { tokens } from '../../../src/domains/tokens/index.ts';
import { createTokenLoaders } from '../../../src/domains/tokens/loaders/index.ts';
import { wizards } from '../../../src/domains/wizards/index.ts';
import { composeSchema, subgraphSchema } from '../../../src/graphql/federation/compose.ts';
import type { Operation } from '../../../src/operation/operation.ts';
import { ResponseDependencies } from '../../../src/operation/response-dependencies.ts';
import { Snapshot } from '../../../src/snapshot/index.ts';
import { createChainFeed } from '../../../src/sync/feed.ts';
import { startFollower } from '../../../src/sync/head/follower.ts';
import { createRpcNode } from '../../../src/upstream/rpc/node.ts';
import { startTestAnvil } from '../anvil.ts';
import { untilTestsEnd } from '../cleanups.ts';
import { type NodeProxy, startProxy } from '../proxies/node-proxy.ts';
import { assertNoSecret } from '../secrets.ts';
import { log } from '../silent-log.ts';
import { type ScriptedWizardService, startScriptedWizardService } from '../upstream/scripted-wizard-service.ts';
import { createTestExecutor } from './domain-fixtures.ts';
import { NO_STREAMS } from './no-streams.ts';
import type { DataOf } from './results.ts';
import { rpc } from './rpc.ts';
import { noEventReads } from './unsynced-follower.ts';

type Execute = ReturnType<typeof createTestExecutor>;

/** The graph with the tournament in this process, over a real chain and a scripted wizard service. */
export interface TournamentGraph {
  readonly service: ScriptedWizardService;
  /** Counts the calls of operations; the follower bypasses it. */
  readonly node: NodeProxy;
  execute<const Text extends string, T = DataOf<Text>>(
    source: Text,
    variables?: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<{ data: T; errors: string[] }>;
  /** The subgraphs as a federation router uses them. */
  readonly subgraphs: { readonly chain: Execute; readonly wizards: Execute };
  /** The last executed operation. */
  lastOperation(): Operation;
  /** Mines blocks and resolves when the graph has the last one. */
  mine(blocks: number): Promise<void>;
}

export async function startTournamentGraph(): Promise<TournamentGraph> {
  const anvil = await startTestAnvil();
  const service = await startScriptedWizardService();
  const proxy = await startProxy(anvil.url);
  const node = untilTestsEnd(createRpcNode({ urls: [proxy.url], maxBatchSize: 1_000, timeoutMs: 30_000, log }));
  const follower = untilTestsEnd(startFollower({ url: anvil.wsUrl, timeoutMs: 30_000, maxBatchSize: 100, log }));
  await follower.ready(AbortSignal.timeout(60_000));
  const eventReads = noEventReads();
  const feed = untilTestsEnd(createChainFeed({ follower, timeoutMs: 30_000, log }));
  const chainOf = createChainLoaders({
    streams: NO_STREAMS,
    maxBlocks: 100,
    maxLogs: 10_000,
    service: { version: '0.0.0', limits: [] },
    subscriptionSources: { feed, snapshotSources: { node, follower, eventReads } },
  });
  const tokensOf = createTokenLoaders({ enhancedMethods: 'plain', lists: readTokenLists([], []) });
  const settings = { ...service.settings, RPC_TIMEOUT_MS: 30_000 };
  const { loaders: wizardsOf } = wizards.create({ settings, feed, log } as unknown as DomainServices);
  let last: Operation | undefined;
  const opened = (schema: ReturnType<typeof composeSchema>): Execute => {
    const ask = createTestExecutor(schema);
    return async (source, signal, variables) => {
      const end = (signal as AbortSignal | undefined) ?? AbortSignal.timeout(60_000);
      const operation = { requestId: 'test', signal: end, extensions: {}, dependencies: new ResponseDependencies() };
      last = operation;
      const view = new Snapshot({ node, follower, eventReads }, operation);
      const context = { operation, chain: chainOf(view), tokens: tokensOf(view), wizards: wizardsOf(view) };
      const answer = await ask(source, context, variables);
      assertNoSecret(JSON.stringify(answer), 'a response');
      return answer;
    };
  };
  const ask = opened(composeSchema([chain, tokens, wizards]));
  const mine = async (blocks: number) => {
    const height = follower.head!.height + blocks;
    const reached = new Promise<void>((resolve) => {
      const unsubscribe = follower.subscribe(() => {
        if (follower.head!.height < height) return;
        unsubscribe();
        resolve();
      });
    });
    await rpc(anvil.url, 'anvil_mine', [`0x${blocks.toString(16)}`]);
    await reached;
  };
  await mine(20);
  return {
    service,
    node: proxy,
    execute: (source, variables, signal) => ask(source, signal, variables),
    subgraphs: { chain: opened(subgraphSchema([chain])), wizards: opened(subgraphSchema([wizards])) },
    lastOperation: () => last!,
    mine,
  };
}

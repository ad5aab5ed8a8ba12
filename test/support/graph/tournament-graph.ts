import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { startAnvil } from '../../../src/devnet/anvil/process.ts';
import { chain } from '../../../src/domains/chain/index.ts';
import { tokens } from '../../../src/domains/tokens/index.ts';
import { openTokenLists } from '../../../src/domains/tokens/token-lists.ts';
import { wizards } from '../../../src/domains/wizards/index.ts';
import type { Operation } from '../../../src/graphql/domain.ts';
import { compose } from '../../../src/graphql/federation/compose.ts';
import { subgraphSchema } from '../../../src/graphql/federation/subgraph.ts';
import { openView } from '../../../src/snapshot/index.ts';
import { startFollower } from '../../../src/sync/head/follower.ts';
import { openNode } from '../../../src/upstream/rpc/node.ts';
import { type NodeProxy, startProxy } from '../clients/proxy.ts';
import { assertNoSecret, WIZARD_KEYS } from '../secrets.ts';
import { rpc } from '../upstream/anvil-rpc.ts';
import { asker } from '../upstream/fixtures.ts';
import { type ScriptedWizards, startScriptedWizards } from '../upstream/scripted-wizards.ts';

type Ask = ReturnType<typeof asker>;

/** The whole graph with the tournament, over a real chain that is followed and a wizard service that a test scripts. */
export interface TournamentGraph {
  readonly service: ScriptedWizards;
  /** What operations ask of the node; what the follower hears goes past it. */
  readonly node: NodeProxy;
  readonly ask: (source: string, variables?: Record<string, unknown>, signal?: AbortSignal) => ReturnType<Ask>;
  /** The chain and the tournament as a router has them. */
  readonly asSubgraph: { readonly chain: Ask; readonly wizards: Ask };
  /** The operation of the last question, as it was left behind. */
  last(): Operation;
  /** Mines so many blocks, and resolves when the graph has heard of the last. */
  mine(blocks: number): Promise<void>;
  stop(): Promise<void>;
}

const log = pino({ level: 'silent' });

export async function startTournamentGraph(): Promise<TournamentGraph> {
  const mnemonic = 'test test test test test test test test test test test junk';
  const anvil = await startAnvil({ chainId: 31337, mnemonic, genesisTime: 1_735_689_600 });
  const service = await startScriptedWizards();
  const proxy = await startProxy(anvil.url);
  const node = openNode({ urls: [proxy.url], batch: 1_000, timeoutMs: 5_000, log });
  const follower = startFollower({ url: anvil.wsUrl, timeoutMs: 5_000, batch: 100, log });
  await follower.ready(AbortSignal.timeout(60_000));
  const { token, email } = WIZARD_KEYS;
  const chainOf = chain.open({ maxBlocks: 100, maxLogs: 10_000 });
  const tokensOf = tokens.open({ methods: 'plain', lists: openTokenLists([]) });
  const wizardsOf = wizards.open({ url: service.url, token, email, timeoutMs: 10_000 });
  let last: Operation | undefined;
  const opened = (schema: ReturnType<typeof compose>): Ask => {
    const ask = asker(schema);
    return async (source, signal, variables) => {
      const end = (signal as AbortSignal | undefined) ?? AbortSignal.timeout(60_000);
      const operation = { requestId: 'test', signal: end, extensions: {}, isVolatile: false };
      last = operation;
      const view = openView({ node, follower }, operation);
      const context = { operation, chain: chainOf(view), tokens: tokensOf(view), wizards: wizardsOf(view) };
      const answer = await ask(source, context, variables);
      assertNoSecret(JSON.stringify(answer), 'an answer');
      return answer;
    };
  };
  const ask = opened(compose([chain, tokens, wizards]));
  const mine = async (blocks: number) => {
    const height = Number(await rpc(anvil.url, 'eth_blockNumber', [])) + blocks;
    await rpc(anvil.url, 'anvil_mine', [`0x${blocks.toString(16)}`]);
    const until = performance.now() + 60_000;
    while (follower.head?.height !== height) {
      if (performance.now() > until) throw new Error('the graph has not heard of the block');
      await sleep(5);
    }
  };
  await mine(20);
  return {
    service,
    node: proxy,
    ask: (source, variables, signal) => ask(source, signal, variables),
    asSubgraph: { chain: opened(subgraphSchema(chain)), wizards: opened(subgraphSchema(wizards)) },
    last: () => last!,
    mine,
    async stop() {
      await follower.stop();
      await node.close();
      await service.stop();
      await proxy.stop();
      await anvil.stop();
    },
  };
}

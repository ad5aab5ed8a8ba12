import { expect } from '@jest/globals';
import type { Devnet } from '../../../devnet/src/index.ts';
import { type Relay, startRelay } from '../proxies/relay.ts';
import {
  createMiner,
  errorCodesOf,
  executeQuery,
  expectAgreement,
  nameOf,
  newestBlocksQuery,
  type PinnedResponse,
  type Rpc,
  rpcOf,
  startQuietDevnet,
  waitForGraphHead,
} from './consistent-reads.ts';
import { type RunningGraph, startGraph } from './running-graph.ts';

/** The branch that replaces three blocks. */
export type ReorgKind = 'longer' | 'equally long' | 'shorter';

/** Three mined blocks, the graph's response while they are canonical, and the reorg that removes them. */
interface PreparedReorg {
  readonly base: number;
  readonly head: any;
  readonly query: string;
  readonly expected: PinnedResponse;
  /** How many JSON-RPC calls the response needs. */
  readonly calls: number;
  reorganize(): Promise<unknown>;
}

/** A graph over a devnet, with a relay between them that can run a reorg before any call. */
export interface ReorgSetup {
  readonly devnet: Devnet;
  readonly rpc: Rpc;
  readonly relay: Relay;
  readonly graph: RunningGraph;
  prepare(kind: ReorgKind): Promise<PreparedReorg>;
  /** Runs the query with a reorg before one of its calls, checks each value, and returns the error codes. */
  executeAcrossReorg(prepared: PreparedReorg, callIndex: number): Promise<string[]>;
  stop(): Promise<void>;
}

/** `followsBy`: whether the graph learns of the reorg over a WebSocket at once, or by its next poll. */
export async function startReorgSetup(followsBy: 'websocket' | 'polling' = 'websocket'): Promise<ReorgSetup> {
  const devnet = await startQuietDevnet();
  const { nodeService, accounts } = devnet.description;
  const call = rpcOf(devnet);
  const mine = createMiner(devnet);
  const relay = await startRelay(nodeService.http);
  const graph = await startGraph({
    RPC_URL: relay.url,
    CACHE_BYTES: '0',
    OPERATION_TIMEOUT_MS: '60000',
    ...(followsBy === 'websocket' && { RPC_WS_URL: nodeService.ws }),
  });
  return {
    devnet,
    rpc: call,
    relay,
    graph,
    async prepare(kind) {
      const base = Number(await call('eth_blockNumber'));
      const snapshot = await call('evm_snapshot');
      const transactionHash = await mine(3);
      const head = await call('eth_getBlockByNumber', 'latest', false);
      await waitForGraphHead(graph, head.hash);
      const query = newestBlocksQuery(accounts[0]!.address, base, transactionHash);
      relay.resetCounts();
      const expected = await executeQuery(graph, query);
      expect(expected.errors).toBeUndefined();
      expect(expected.extensions!.block).toEqual(nameOf(head));
      return {
        base,
        head,
        query,
        expected,
        calls: relay.resetCounts(),
        async reorganize() {
          if (kind === 'equally long') return call('anvil_reorg', 3, []);
          await call('evm_revert', snapshot);
          return mine(kind === 'longer' ? 4 : 2);
        },
      };
    },
    async executeAcrossReorg({ query, expected, head, reorganize }, callIndex) {
      let reorg: Promise<unknown> | undefined;
      let index = 0;
      relay.beforeCall = () => {
        if (index++ !== callIndex) return undefined;
        reorg = reorganize();
        return reorg;
      };
      const response = await executeQuery(graph, query);
      relay.beforeCall = undefined;
      await (reorg ?? reorganize());
      expect(response.extensions!.block).toEqual(nameOf(head));
      if (response.data) expectAgreement(response.data, expected.data, response.errors);
      return errorCodesOf(response);
    },
    async stop() {
      await graph.stop();
      await devnet.stop();
    },
  };
}

import { beforeAll, expect, test } from '@jest/globals';
import { startTestDevnet } from '../../support/devnet.ts';
import {
  createMiner,
  errorCodesOf,
  executeQuery,
  expectAgreement,
  nameOf,
  newestBlocksQuery,
  rpcOf,
  waitForGraphHead,
} from '../../support/graph/consistent-reads.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { startRelay } from '../../support/proxies/relay.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';

/** In the short run, the seed decides before which calls a reorg is tried. */
/** Number of calls from one tried reorg to the next. */
const STEP = runSize(8, 1);
const TIMEOUT_MS = 400_000;

/** The branch that replaces three blocks. */
type ReorgKind = 'longer' | 'equally long' | 'shorter';

type ReorgSetup = Awaited<ReturnType<typeof startReorgSetup>>;

/** `followsBy`: whether the graph learns of the reorg over a WebSocket at once, or by its next poll. */
async function startReorgSetup(followsBy: 'websocket' | 'polling' = 'websocket') {
  const devnet = await startTestDevnet();
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
  /** Mines three blocks and reads the graph's response while they are canonical. `reorganize` removes them. */
  const prepare = async (kind: ReorgKind) => {
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
  };
  return {
    prepare,
    /** Runs the query with a reorg before one of its calls, checks each value, and returns the error codes. */
    async executeAcrossReorg(prepared: Awaited<ReturnType<typeof prepare>>, callIndex: number) {
      const { query, expected, head, reorganize } = prepared;
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

let setup: ReorgSetup;

beforeAll(async () => {
  setup = await startReorgSetup();
});

/** Returns the error codes of operations with a reorg before every `step`th call, by the number of the call. */
async function codesAcrossReorgs(setup: ReorgSetup, kind: ReorgKind, step: number): Promise<Map<number, string[]>> {
  const codes = new Map<number, string[]>();
  let prepared = await setup.prepare(kind);
  expect(prepared.calls).toBeGreaterThan(20);
  for (let index = Math.floor(random(readSeed())() * step); index < prepared.calls; index += step) {
    codes.set(index, await setup.executeAcrossReorg(prepared, index));
    prepared = await setup.prepare(kind);
  }
  return codes;
}

test.each(['longer', 'equally long', 'shorter'] as const)(
  'a reorg to a branch that is %s, before any call of an operation, leaves consistent values or BLOCK_NOT_AVAILABLE',
  async (kind) => {
    const codes = [...(await codesAcrossReorgs(setup, kind, STEP)).values()];
    expect(codes.flat().filter((code) => code !== 'BLOCK_NOT_AVAILABLE')).toEqual([]);
    expect(codes.filter(({ length }) => length > 0)).not.toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a reorg that polls have not reported yet leaves consistent values, BLOCK_NOT_AVAILABLE or STALE_UPSTREAM',
  async () => {
    const polling = await startReorgSetup('polling');
    const codes = [...(await codesAcrossReorgs(polling, 'longer', 2 * STEP)).values()].flat();
    expect(codes.filter((code) => code !== 'STALE_UPSTREAM' && code !== 'BLOCK_NOT_AVAILABLE')).toEqual([]);
    await polling.stop();
  },
  TIMEOUT_MS,
);

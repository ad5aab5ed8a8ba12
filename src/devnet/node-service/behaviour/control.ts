import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { AnvilRequest } from '../anvil-connection.ts';
import type { AnvilChain } from '../chain.ts';
import type { ComputeUnitMeter } from '../compute-units.ts';
import { dataParam } from '../rpc/params.ts';
import { NODE_ERROR_CODES, NodeRpcError } from '../rpc/rpc-error.ts';
import type { NodeWebSocketServer } from '../websocket.ts';
import { type NodeFaultInjector, nodeFaultsSchema } from './faults.ts';
import type { PrunedHistory } from './pruned-history.ts';

/** One transaction of a new branch: signed, or a request of an unlocked account; and in which block of the branch, the first is 0. */
const branchTransactionSchema = z.tuple([z.union([dataParam, z.looseObject({ from: z.string() })]), z.number().int().min(0)]);

/** What can be asked of the control endpoint; several at once are done in this order. */
const controlRequestSchema = z.strictObject({
  /** Compute units a month for each key; null for any number. */
  capacity: z.number().min(0).nullable().optional(),
  /** The whole set of switches; what is left out is off. */
  faults: nodeFaultsSchema.optional(),
  /** Resets every WebSocket now. */
  dropSockets: z.literal(true).optional(),
  /** So many blocks from the head are replaced by as many others, empty but for the transactions given. */
  reorg: z
    .strictObject({ depth: z.number().int().min(1).max(256), transactions: z.array(branchTransactionSchema).default([]) })
    .optional(),
});

export type NodeControlRequest = z.input<typeof controlRequestSchema>;

export interface NodeControlOptions {
  readonly request: AnvilRequest;
  readonly chain: AnvilChain;
  readonly units: ComputeUnitMeter;
  readonly faults: NodeFaultInjector;
  readonly sockets: NodeWebSocketServer;
  readonly keys: readonly string[];
  readonly withMiningPaused: WithMiningPaused;
  readonly pruned: PrunedHistory;
}

/** Runs a task while nobody mines on purpose, and gives what it gives. */
export type WithMiningPaused = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Answers GET with the state, POST with the state after what was asked. */
export type NodeControl = (verb: string, text: string) => Promise<{ readonly status: number; readonly body: unknown }>;

/** For tests and the devnet; no part of the seed's interface, and under a path of its own that only the owner knows. */
export function createNodeControl({
  request,
  chain,
  units,
  faults,
  sockets,
  keys,
  withMiningPaused,
  pruned,
}: NodeControlOptions): NodeControl {
  const state = () => ({
    capacity: units.capacity,
    usage: Object.fromEntries(keys.map((key) => [key, units.usage(key)])),
    faults: faults.current,
    ...sockets.count(),
  });

  /** A reorg begins at the state of a block that a trim must not have removed. */
  const checkDepth = async (depth: number) => {
    const { first, lastState } = pruned;
    const maxDepth = Number(await request<string>('eth_blockNumber')) - lastState - 1;
    if (lastState < first || depth <= maxDepth) return;
    const message = `reorg of depth ${depth} needs a state that the chain removed when it was trimmed at block ${lastState + 1}`;
    throw new NodeRpcError(NODE_ERROR_CODES.server, `${message}: want a depth of at most ${maxDepth}, or more blocks first`);
  };

  /** Answers when all who subscribe have been told: blocks by hash, ascending. */
  const reorg = async ({ depth, transactions }: NonNullable<z.output<typeof controlRequestSchema>['reorg']>) => {
    const happening = () => withoutAutomine(request, () => request('anvil_reorg', depth, transactions));
    const { removed, added } = await withMiningPaused(async () => {
      await checkDepth(depth);
      return chain.reorg(depth, happening);
    });
    const hashes = (blocks: typeof removed) => blocks.map(({ header }) => header.hash);
    return { removed: hashes(removed), added: hashes(added) };
  };

  return async (verb, text) => {
    if (verb === 'GET') return { status: 200, body: state() };
    if (verb !== 'POST') return { status: 405, body: { error: 'want GET or POST' } };
    try {
      const asked = controlRequestSchema.parse(JSON.parse(text));
      if (asked.capacity !== undefined) units.capacity = asked.capacity;
      if (asked.faults) faults.set(asked.faults);
      if (asked.dropSockets) sockets.resetAll();
      const reorganised = asked.reorg && { reorg: await reorg(asked.reorg) };
      return { status: 200, body: { ...state(), ...reorganised } };
    } catch (error) {
      if (error instanceof z.ZodError) return { status: 400, body: { error: z.prettifyError(error) } };
      if (error instanceof NodeRpcError || error instanceof SyntaxError) return { status: 400, body: { error: error.message } };
      throw error;
    }
  };
}

/** Longer than anvil takes from a transaction to its block. */
const SETTLE_MS = 15;

/** Nothing tells when anvil has mined what it began, so: when its height stays the same. */
async function waitForStableHeight(request: AnvilRequest): Promise<void> {
  let before: string | undefined;
  let height = await request<string>('eth_blockNumber');
  while (height !== before) {
    await delay(SETTLE_MS);
    before = height;
    height = await request('eth_blockNumber');
  }
}

/**
 * A block that anvil mines while it reorganises leaves a hole in its chain for good, so what comes meanwhile is mined afterwards. Under a
 * flood of transactions, hundreds a second, anvil 1.7.1 does it all the same.
 */
async function withoutAutomine(request: AnvilRequest, task: () => Promise<unknown>): Promise<void> {
  const automine = await request<boolean>('anvil_getAutomine');
  if (!automine) return void (await task());
  await request('evm_setAutomine', false);
  try {
    await waitForStableHeight(request);
    await task();
  } finally {
    const { pending } = await request<{ pending: string }>('txpool_status');
    // Before, and not after: these two would be in each other's way as well.
    if (Number(pending) > 0) await request('evm_mine');
    await request('evm_setAutomine', true);
  }
}

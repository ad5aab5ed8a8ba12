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

/** A transaction of a new branch, signed or of an unlocked account, and the index of its block in the branch. */
const branchTransactionSchema = z.tuple([z.union([dataParam, z.looseObject({ from: z.string() })]), z.number().int().min(0)]);

/** A control request. Several actions are executed in this order. */
const controlRequestSchema = z.strictObject({
  /** Monthly compute units of each key; null for no limit. */
  capacity: z.number().min(0).nullable().optional(),
  /** The complete set of faults; absent faults are off. */
  faults: nodeFaultsSchema.optional(),
  /** Resets every WebSocket now. */
  dropSockets: z.literal(true).optional(),
  /** Replaces the last `depth` blocks by `depth` other blocks, which contain only the given transactions. */
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

/** Runs a task while no block is mined by request, and returns its result. */
export type WithMiningPaused = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** GET returns the state; POST applies a request and returns the new state. */
export type NodeControl = (verb: string, text: string) => Promise<{ readonly status: number; readonly body: unknown }>;

/** Creates the control endpoint for tests and the devnet, which is not part of the service description. */
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

  /** Throws if the state at which the reorg starts was pruned. */
  const checkDepth = async (depth: number) => {
    const { first, lastState } = pruned;
    const maxDepth = Number(await request<string>('eth_blockNumber')) - lastState - 1;
    if (lastState < first || depth <= maxDepth) return;
    const message = `reorg of depth ${depth} needs a state that was pruned at block ${lastState + 1}`;
    throw new NodeRpcError(NODE_ERROR_CODES.server, `${message}: want a depth of at most ${maxDepth}, or more blocks first`);
  };

  /** Reorganises the chain. Resolves with block hashes, ascending, after subscribers were sent the events. */
  const reorg = async ({ depth, transactions }: NonNullable<z.output<typeof controlRequestSchema>['reorg']>) => {
    const runReorg = () => withoutAutomine(request, () => request('anvil_reorg', depth, transactions));
    const { removed, added } = await withMiningPaused(async () => {
      await checkDepth(depth);
      return chain.reorg(depth, runReorg);
    });
    const hashes = (blocks: typeof removed) => blocks.map(({ header }) => header.hash);
    return { removed: hashes(removed), added: hashes(added) };
  };

  return async (verb, text) => {
    if (verb === 'GET') return { status: 200, body: state() };
    if (verb !== 'POST') return { status: 405, body: { error: 'want GET or POST' } };
    try {
      const action = controlRequestSchema.parse(JSON.parse(text));
      if (action.capacity !== undefined) units.capacity = action.capacity;
      if (action.faults) faults.set(action.faults);
      if (action.dropSockets) sockets.resetAll();
      const reorganised = action.reorg && { reorg: await reorg(action.reorg) };
      return { status: 200, body: { ...state(), ...reorganised } };
    } catch (error) {
      if (error instanceof z.ZodError) return { status: 400, body: { error: z.prettifyError(error) } };
      if (error instanceof NodeRpcError || error instanceof SyntaxError) return { status: 400, body: { error: error.message } };
      throw error;
    }
  };
}

/** Longer than anvil needs from a transaction to its block. */
const SETTLE_MS = 15;

/** Waits until the height of anvil no longer changes, because it does not report that mining has ended. */
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
 * Runs a task without automatic mining and mines waiting transactions afterwards: a block that anvil mines during a reorg leaves a permanent
 * gap in its chain. Under hundreds of transactions a second, anvil 1.7.1 still does so.
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
    // Mine before automatic mining is switched on; otherwise both would mine at the same time.
    if (Number(pending) > 0) await request('evm_mine');
    await request('evm_setAutomine', true);
  }
}

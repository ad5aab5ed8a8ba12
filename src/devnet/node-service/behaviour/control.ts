import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Ask } from '../anvil-connection.ts';
import type { Chain } from '../chain.ts';
import type { Units } from '../rate-limit.ts';
import { data } from '../rpc/params.ts';
import { CODES, RpcError } from '../rpc/rpc-error.ts';
import type { WebSockets } from '../websocket.ts';
import { type FaultSwitches, faultsSchema } from './faults.ts';
import type { PrunedHistory } from './pruned.ts';

/** One transaction of a new branch: signed, or a request of an unlocked account; and in which block of the branch, the first is 0. */
const placed = z.tuple([z.union([data, z.looseObject({ from: z.string() })]), z.number().int().min(0)]);

/** What can be asked of the control endpoint; several at once are done in this order. */
const requestSchema = z.strictObject({
  /** Compute units a month for each key; null for any number. */
  capacity: z.number().min(0).nullable().optional(),
  /** The whole set of switches; what is left out is off. */
  faults: faultsSchema.optional(),
  /** Resets every WebSocket now. */
  dropSockets: z.literal(true).optional(),
  /** So many blocks from the head are replaced by as many others, empty but for the transactions given. */
  reorg: z.strictObject({ depth: z.number().int().min(1).max(256), transactions: z.array(placed).default([]) }).optional(),
});

export type ControlRequest = z.input<typeof requestSchema>;

export interface ControlOptions {
  readonly ask: Ask;
  readonly chain: Chain;
  readonly units: Units;
  readonly faults: FaultSwitches;
  readonly sockets: WebSockets;
  readonly keys: readonly string[];
  readonly still: Still;
  readonly pruned: PrunedHistory;
}

/** Runs a task while nobody mines on purpose, and gives what it gives. */
export type Still = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Answers GET with the state, POST with the state after what was asked. */
export type Control = (verb: string, text: string) => Promise<{ readonly status: number; readonly body: unknown }>;

/** For tests and the devnet; no part of the seed's interface, and under a path of its own that only the owner knows. */
export function openControl({ ask, chain, units, faults, sockets, keys, still, pruned }: ControlOptions): Control {
  const state = () => ({
    capacity: units.capacity,
    usage: Object.fromEntries(keys.map((key) => [key, units.usage(key)])),
    faults: faults.current,
    ...sockets.count(),
  });

  /** A reorg begins at the state of a block that a trim must not have removed. */
  const checkDepth = async (depth: number) => {
    const { first, lastState } = pruned;
    const maxDepth = Number(await ask<string>('eth_blockNumber')) - lastState - 1;
    if (lastState < first || depth <= maxDepth) return;
    const message = `reorg of depth ${depth} needs a state that the chain removed when it was trimmed at block ${lastState + 1}`;
    throw new RpcError(CODES.server, `${message}: want a depth of at most ${maxDepth}, or more blocks first`);
  };

  /** Answers when all who subscribe have been told: blocks by hash, ascending. */
  const reorg = async ({ depth, transactions }: NonNullable<z.output<typeof requestSchema>['reorg']>) => {
    const happening = () => withoutAutomine(ask, () => ask('anvil_reorg', depth, transactions));
    const { removed, added } = await still(async () => {
      await checkDepth(depth);
      return chain.during(depth, happening);
    });
    const hashes = (blocks: typeof removed) => blocks.map(({ header }) => header.hash);
    return { removed: hashes(removed), added: hashes(added) };
  };

  return async (verb, text) => {
    if (verb === 'GET') return { status: 200, body: state() };
    if (verb !== 'POST') return { status: 405, body: { error: 'want GET or POST' } };
    try {
      const asked = requestSchema.parse(JSON.parse(text));
      if (asked.capacity !== undefined) units.capacity = asked.capacity;
      if (asked.faults) faults.set(asked.faults);
      if (asked.dropSockets) sockets.drop();
      const reorganised = asked.reorg && { reorg: await reorg(asked.reorg) };
      return { status: 200, body: { ...state(), ...reorganised } };
    } catch (error) {
      if (error instanceof z.ZodError) return { status: 400, body: { error: z.prettifyError(error) } };
      if (error instanceof RpcError || error instanceof SyntaxError) return { status: 400, body: { error: error.message } };
      throw error;
    }
  };
}

/** Longer than anvil takes from a transaction to its block. */
const QUIET_MS = 15;

/** Nothing tells when anvil has mined what it began, so: when its height stays the same. */
async function quiet(ask: Ask): Promise<void> {
  let before: string | undefined;
  let height = await ask<string>('eth_blockNumber');
  while (height !== before) {
    await delay(QUIET_MS);
    before = height;
    height = await ask('eth_blockNumber');
  }
}

/**
 * A block that anvil mines while it reorganises leaves a hole in its chain for good, so what comes meanwhile is mined afterwards. Under a
 * flood of transactions, hundreds a second, anvil 1.7.1 does it all the same.
 */
async function withoutAutomine(ask: Ask, task: () => Promise<unknown>): Promise<void> {
  const automine = await ask<boolean>('anvil_getAutomine');
  if (!automine) return void (await task());
  await ask('evm_setAutomine', false);
  try {
    await quiet(ask);
    await task();
  } finally {
    const { pending } = await ask<{ pending: string }>('txpool_status');
    // Before, and not after: these two would be in each other's way as well.
    if (Number(pending) > 0) await ask('evm_mine');
    await ask('evm_setAutomine', true);
  }
}

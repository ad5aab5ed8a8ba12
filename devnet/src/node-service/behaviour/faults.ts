import { z } from 'zod';
import { createSeededRandom, type SeededRandom } from '../../world/random.ts';
import { NODE_ERROR_CODES, NodeRpcError, RateLimitError } from '../rpc/rpc-error.ts';

const share = z.number().min(0).max(1);
const seed = z.number().int().default(1);

/** Faults of the node service, all off by default. A new set replaces the previous one. */
export const nodeFaultsSchema = z.strictObject({
  /** Delay before every response on both transports, in milliseconds. */
  latency: z.number().int().min(0).max(600_000).default(0),
  /** Share of calls that fail. With `status`, the whole HTTP request gets that status and an HTML page. */
  errors: z
    .strictObject({
      rate: share,
      seed,
      /** Methods that fail. @default all methods */
      methods: z.array(z.string()).optional(),
      code: z.number().int().default(NODE_ERROR_CODES.internal),
      message: z.string().default('Internal error'),
      status: z.number().int().min(400).max(599).optional(),
    })
    .nullable()
    .default(null),
  /** Number of blocks that reads lag behind. Subscriptions do not lag, as if another node served them. */
  lag: z.number().int().min(0).default(0),
  /** Share of HTTP requests and WebSocket messages that reset their connection. */
  drops: z.strictObject({ rate: share, seed }).nullable().default(null),
  /** Rejects batches. */
  noBatches: z.boolean().default(false),
  /** Compute units per second of each key. */
  rateLimit: z.number().min(0).nullable().default(null),
  /** Makes `eth_chainId` unsupported, as on a node whose head has no chain id. */
  noChainId: z.boolean().default(false),
});

export type NodeFaults = z.output<typeof nodeFaultsSchema>;
export type NodeFaultsInput = z.input<typeof nodeFaultsSchema>;

export interface NodeFaultInjector {
  readonly current: NodeFaults;
  set(faults: NodeFaultsInput): void;
  /** Whether to reset the connection of this request. Advances the random sequence. */
  shouldDrop(): boolean;
  /** The injected error of this call, if any, and the HTTP status of its request. Advances the random sequence. */
  nextError(method: string): { readonly error: NodeRpcError; readonly status: number | undefined } | undefined;
  /** Throws if the key exceeds its units of this second. */
  checkRateLimit(key: string, units: number): void;
}

const RATE_RESOLUTION = 1_000_000;

export function createNodeFaultInjector(initial: NodeFaultsInput, now: () => number): NodeFaultInjector {
  let current = nodeFaultsSchema.parse(initial);
  let errors = createSeededRandom(current.errors?.seed ?? 1);
  let drops = createSeededRandom(current.drops?.seed ?? 1);
  const spent = new Map<string, { readonly second: number; readonly units: number }>();
  const isHit = (random: SeededRandom, rate: number) => random.nextInt(RATE_RESOLUTION) < rate * RATE_RESOLUTION;
  return {
    get current() {
      return current;
    },
    set(faults) {
      current = nodeFaultsSchema.parse(faults);
      errors = createSeededRandom(current.errors?.seed ?? 1);
      drops = createSeededRandom(current.drops?.seed ?? 1);
      spent.clear();
    },
    shouldDrop: () => current.drops !== null && isHit(drops, current.drops.rate),
    nextError(method) {
      if (current.errors === null) return undefined;
      const { rate, methods, code, message, status } = current.errors;
      if (methods && !methods.includes(method)) return undefined;
      return isHit(errors, rate) ? { error: new NodeRpcError(code, message), status } : undefined;
    },
    checkRateLimit(key, units) {
      if (current.rateLimit === null) return;
      const second = Math.floor(now() / 1000);
      const before = spent.get(key);
      const total = (before?.second === second ? before.units : 0) + units;
      if (total > current.rateLimit) throw new RateLimitError();
      spent.set(key, { second, units: total });
    },
  };
}

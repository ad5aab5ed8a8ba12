import { z } from 'zod';
import { createSeededRandom } from '../../world/random.ts';
import { NODE_ERROR_CODES, NodeRpcError, RateLimitError } from '../rpc/rpc-error.ts';

const share = z.number().min(0).max(1);
const seed = z.number().int().default(1);

/** What can be made to go wrong, all of it off by default. Given anew, the whole set is replaced. */
export const nodeFaultsSchema = z.strictObject({
  /** Milliseconds before every answer, of both transports. */
  latency: z.number().int().min(0).max(600_000).default(0),
  /** A share of calls fails. With `status` the whole HTTP request they come in is answered with that status and a page of text. */
  errors: z
    .strictObject({
      rate: share,
      seed,
      /** Only these; every method when left out. */
      methods: z.array(z.string()).optional(),
      code: z.number().int().default(NODE_ERROR_CODES.internal),
      message: z.string().default('Internal error'),
      status: z.number().int().min(400).max(599).optional(),
    })
    .nullable()
    .default(null),
  /** Reads are answered as if by a node so many blocks behind. Subscriptions go on as ever: their node is another. */
  lag: z.number().int().min(0).default(0),
  /** A share of requests loses its connection instead of getting an answer: an HTTP request, or a WebSocket by a message. */
  drops: z.strictObject({ rate: share, seed }).nullable().default(null),
  /** A batch is refused, whatever is in it. */
  noBatches: z.boolean().default(false),
  /** Compute units a second for each key. */
  rateLimit: z.number().min(0).nullable().default(null),
  /** The head block carries no chain id, so that `eth_chainId` is unsupported. */
  noChainId: z.boolean().default(false),
});

export type NodeFaults = z.output<typeof nodeFaultsSchema>;
export type NodeFaultsInput = z.input<typeof nodeFaultsSchema>;

export interface NodeFaultInjector {
  readonly current: NodeFaults;
  set(faults: NodeFaultsInput): void;
  /** Whether this request loses its connection. Draws. */
  shouldDrop(): boolean;
  /** The error this call meets, if any, and the HTTP status for the whole request. Draws. */
  nextError(method: string): { readonly error: NodeRpcError; readonly status: number | undefined } | undefined;
  /** Rejects when the key has spent its units of this second. */
  checkRateLimit(key: string, units: number): void;
}

const RATE_RESOLUTION = 1_000_000;

export function createNodeFaultInjector(initial: NodeFaultsInput, now: () => number): NodeFaultInjector {
  let current = nodeFaultsSchema.parse(initial);
  let errors = createSeededRandom(current.errors?.seed ?? 1);
  let drops = createSeededRandom(current.drops?.seed ?? 1);
  const spent = new Map<string, { readonly second: number; readonly units: number }>();
  const meets = (draws: ReturnType<typeof createSeededRandom>, rate: number) =>
    draws.nextInt(RATE_RESOLUTION) < rate * RATE_RESOLUTION;
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
    shouldDrop: () => current.drops !== null && meets(drops, current.drops.rate),
    nextError(method) {
      if (current.errors === null) return undefined;
      const { rate, methods, code, message, status } = current.errors;
      if (methods && !methods.includes(method)) return undefined;
      return meets(errors, rate) ? { error: new NodeRpcError(code, message), status } : undefined;
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

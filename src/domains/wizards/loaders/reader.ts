import { LRUCache } from 'lru-cache';
import type { Data } from '../../../evm/hex.ts';
import type { Operation } from '../../../graphql/domain.ts';
import type { Rest } from '../../../upstream/rest.ts';
import type { Read } from '../source.ts';

/** Most wizards and duels that are kept, and for how long: a service that is behind the chain must not be behind for a whole block. */
const MOST_KEPT = 20_000;
const KEPT_MS = 2_000;

/** What the service has told under one head of the chain, kept for all operations until the head is another. */
export class Kept {
  readonly #told = new LRUCache<string, { readonly value: unknown }>({
    maxSize: MOST_KEPT,
    ttl: KEPT_MS,
    sizeCalculation: ({ value }) => (Array.isArray(value) ? value.length : 0) + 1,
  });
  #head: Data | undefined;

  /** What was told under this head. */
  get(head: Data, path: string): { readonly value: unknown } | undefined {
    return head === this.#head ? this.#told.get(path) : undefined;
  }

  keep(head: Data, path: string, value: unknown): void {
    if (head !== this.#head) this.#told.clear();
    this.#head = head;
    this.#told.set(path, { value });
  }
}

/** Who asks: an operation, or what watches the tournament. */
export interface Asker {
  readonly operation: Pick<Operation, 'signal' | 'isVolatile'>;
  /** Knows the head. */
  readonly follower?: { readonly head: { readonly hash: Data } | undefined } | undefined;
}

/**
 * One way to the service: equal reads once. What was told while the follower had this very head is told again; nothing is while the head is
 * not known.
 */
export function openReader(rest: Rest, kept: Kept, { operation, follower }: Asker): Read {
  const asked = new Map<string, Promise<unknown>>();

  const find = (path: string): { readonly value: unknown } | undefined => {
    const head = follower?.head?.hash;
    const found = head === undefined ? undefined : kept.get(head, path);
    // The service moves on by itself, so that a whole answer must not be kept for a head.
    if (found) operation.isVolatile = true;
    return found;
  };

  const ask = async (path: string, decode: (body: unknown) => unknown): Promise<unknown> => {
    const found = find(path);
    if (found) return found.value;
    operation.isVolatile = true;
    const head = follower?.head?.hash;
    const body = await rest.get(path, operation.signal);
    const value = body === null ? null : decode(body);
    if (head !== undefined && value !== null && follower?.head?.hash === head) kept.keep(head, path, value);
    return value;
  };

  const read = <T>(path: string, decode: (body: unknown) => T) => {
    const told = asked.get(path) ?? ask(path, decode);
    asked.set(path, told);
    return told as Promise<T | null>;
  };
  return Object.assign(read, { known: <T>(path: string) => find(path)?.value as T | undefined });
}

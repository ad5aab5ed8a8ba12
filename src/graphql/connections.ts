import { GraphError } from '../errors.ts';

/** Sort key of an item: the values that it is sorted by, then values that make it unique. */
export type ListPosition = readonly string[];

/** An order of items. Cursors contain its name, so that a cursor of one order is rejected in another. */
export interface ListOrder<T> {
  readonly name: string;
  readonly positionOf: (item: T) => ListPosition;
  /** Must accept any strings, since clients may pass invented cursors. */
  readonly compare: (a: ListPosition, b: ListPosition) => number;
}

/** The arguments of a paginated field. */
export interface PageArgs {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** Page size without the argument `first`. */
export const DEFAULT_PAGE_SIZE = 50;
/** Maximum page size. */
export const MAX_PAGE_SIZE = 500;

/** An item of a page, with its cursor. */
export interface RelayEdge<T> {
  readonly cursor: string;
  /** An error when the item could not be read; it fails only this edge. */
  readonly node: T | Error;
}

/** A page as defined by the Relay cursor connections specification. */
export interface RelayConnection<T> {
  readonly edges: readonly RelayEdge<T>[];
  readonly nodes: readonly (T | Error)[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  /** Items in the whole list. */
  readonly totalCount: number;
}

/**
 * Returns a page of a list. A cursor denotes a position, not an item, so it stays valid when its item is removed or the list grows.
 * Throws BAD_USER_INPUT for a cursor of another order, and for a `first` below 0 or above MAX_PAGE_SIZE.
 */
export function paginate<T>(
  items: readonly T[],
  order: ListOrder<T>,
  { first, after }: PageArgs,
  toNode: (item: T) => T | Error,
) {
  const size = first ?? DEFAULT_PAGE_SIZE;
  if (size < 0 || size > MAX_PAGE_SIZE) {
    throw new GraphError('BAD_USER_INPUT', `Invalid \`first\`. Pass a number from 0 to ${MAX_PAGE_SIZE}.`, {
      limit: MAX_PAGE_SIZE,
      actual: size,
    });
  }
  const start = after === null || after === undefined ? undefined : decodeCursor(after, order.name);
  const positioned = items.map((item) => ({ item, position: order.positionOf(item) }));
  const remaining = start ? positioned.filter(({ position }) => order.compare(position, start) > 0) : positioned;
  const skipped = positioned.length - remaining.length;
  const edges = smallest(remaining, (a, b) => order.compare(a.position, b.position), size).map(({ item, position }) => ({
    cursor: encodeCursor(order.name, position),
    node: toNode(item),
  }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage: skipped + edges.length < positioned.length,
      hasPreviousPage: skipped > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount: positioned.length,
  } satisfies RelayConnection<T>;
}

/** Returns the `count` smallest items in order, without sorting the whole list, which may be much longer than a page. */
function smallest<T>(items: readonly T[], compare: (a: T, b: T) => number, count: number): readonly T[] {
  let candidates: T[] = [];
  let bound: T | undefined;
  for (const item of items) {
    if (bound !== undefined && compare(item, bound) >= 0) continue;
    candidates.push(item);
    if (candidates.length <= 2 * count) continue;
    candidates = candidates.sort(compare).slice(0, count);
    bound = candidates.at(-1);
  }
  return candidates.sort(compare).slice(0, count);
}

const encodeCursor = (name: string, position: ListPosition): string =>
  Buffer.from(JSON.stringify([name, ...position])).toString('base64url');

function decodeCursor(cursor: string, name: string): ListPosition {
  try {
    const [order, ...position] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (order === name && position.every((part) => typeof part === 'string')) return position;
  } catch {
    // Not JSON: reported below, like any other invalid cursor.
  }
  throw new GraphError(
    'BAD_USER_INPUT',
    'Invalid `after`. Pass a cursor from `pageInfo` or `edges` of a list in the same order.',
  );
}

/** Compares integers of any size numerically and other strings after them: 2 before 10, 10 before "a". */
export function compareNatural(a = '', b = ''): number {
  if (a === b) return 0;
  const [isNumberA, isNumberB] = [CANONICAL_INTEGER.test(a), CANONICAL_INTEGER.test(b)];
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  if (isNumberA && a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Without leading zeros, so that of two integers the one with more digits is larger. */
const CANONICAL_INTEGER = /^(?:0|[1-9][0-9]*)$/;

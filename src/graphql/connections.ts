import { GraphError } from '../errors.ts';

/** Where an item stands in an order: what it is sorted by, and then what tells it from others there. */
export type ListPosition = readonly string[];

/** An order of items; its name goes into cursors, so that a cursor cannot be used under another one. */
export interface ListOrder<T> {
  readonly name: string;
  readonly positionOf: (item: T) => ListPosition;
  /** Takes any texts: a cursor is the client's. */
  readonly compare: (a: ListPosition, b: ListPosition) => number;
}

/** Which part of a list is asked for. */
export interface PageArgs {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** How long a page is when nobody says, and at most. */
export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 500;

export interface RelayEdge<T> {
  readonly cursor: string;
  /** An error where the item cannot be told; it is that edge's alone. */
  readonly node: T | Error;
}

/** A page as the Relay cursor connections specification has it. */
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
 * A page of a list. A cursor names a position, not an item: the page after it is right even when that item is gone or the list has grown.
 * Throws BAD_USER_INPUT for a cursor that is none of this order and for a `first` below 0 or above 500.
 */
export function paginate<T>(items: readonly T[], order: ListOrder<T>, { first, after }: PageArgs, show: (item: T) => T | Error) {
  const size = first ?? DEFAULT_PAGE_SIZE;
  if (size < 0 || size > MAX_PAGE_SIZE) {
    throw new GraphError('BAD_USER_INPUT', `\`first\` is a number from 0 to ${MAX_PAGE_SIZE}.`, {
      limit: MAX_PAGE_SIZE,
      actual: size,
    });
  }
  const start = after === null || after === undefined ? undefined : decodeCursor(after, order.name);
  const placed = items.map((item) => ({ item, position: order.positionOf(item) }));
  const behind = start ? placed.filter(({ position }) => order.compare(position, start) > 0) : placed;
  const from = placed.length - behind.length;
  const edges = firstInOrder(behind, (a, b) => order.compare(a.position, b.position), size).map(({ item, position }) => ({
    cursor: encodeCursor(order.name, position),
    node: show(item),
  }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage: from + edges.length < placed.length,
      hasPreviousPage: from > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount: placed.length,
  } satisfies RelayConnection<T>;
}

/** The first so many in order. A page is a small part of a list that may be very long, and is not worth sorting all of it. */
function firstInOrder<T>(items: readonly T[], compare: (a: T, b: T) => number, size: number): readonly T[] {
  let least: T[] = [];
  let last: T | undefined;
  for (const item of items) {
    if (last !== undefined && compare(item, last) >= 0) continue;
    least.push(item);
    if (least.length <= 2 * size) continue;
    least = least.sort(compare).slice(0, size);
    last = least.at(-1);
  }
  return least.sort(compare).slice(0, size);
}

const encodeCursor = (name: string, position: ListPosition): string =>
  Buffer.from(JSON.stringify([name, ...position])).toString('base64url');

function decodeCursor(cursor: string, name: string): ListPosition {
  try {
    const [order, ...position] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (order === name && position.every((part) => typeof part === 'string')) return position;
  } catch {
    // Told below, with all others.
  }
  throw new GraphError('BAD_USER_INPUT', '`after` is no cursor of a list in this order; take one from `pageInfo` or `edges`.');
}

/** Compares whole numbers of any size by their digits, and any other texts behind them: 2 before 10, 10 before "a". */
export function compareNatural(a = '', b = ''): number {
  if (a === b) return 0;
  const [isNumberA, isNumberB] = [CANONICAL_INTEGER.test(a), CANONICAL_INTEGER.test(b)];
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  if (isNumberA && a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Without leading zeros, so that the longer one is the larger one. */
const CANONICAL_INTEGER = /^(?:0|[1-9][0-9]*)$/;

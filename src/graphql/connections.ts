import { GraphError } from '../errors.ts';

/** Where an item stands in an order: what it is sorted by, and then what tells it from others there. */
export type Position = readonly string[];

/** An order of items; its name goes into cursors, so that a cursor cannot be used under another one. */
export interface Order<T> {
  readonly name: string;
  readonly positionOf: (item: T) => Position;
  /** Takes any texts: a cursor is the client's. */
  readonly compare: (a: Position, b: Position) => number;
}

/** Which part of a list is asked for. */
export interface PageArgs {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** How long a page is when nobody says, and at most. */
export const DEFAULT_PAGE = 50;
export const MOST_PAGE = 500;

export interface Edge<T> {
  readonly cursor: string;
  /** An error where the item cannot be told; it is that edge's alone. */
  readonly node: T | Error;
}

/** A page as the Relay cursor connections specification has it. */
export interface Connection<T> {
  readonly edges: readonly Edge<T>[];
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
export function pageOf<T>(items: readonly T[], order: Order<T>, { first, after }: PageArgs, show: (item: T) => T | Error) {
  const size = first ?? DEFAULT_PAGE;
  if (size < 0 || size > MOST_PAGE) {
    throw new GraphError('BAD_USER_INPUT', `\`first\` is a number from 0 to ${MOST_PAGE}.`, { limit: MOST_PAGE, actual: size });
  }
  const start = after === null || after === undefined ? undefined : positionIn(after, order.name);
  const placed = items.map((item) => ({ item, position: order.positionOf(item) }));
  const behind = start ? placed.filter(({ position }) => order.compare(position, start) > 0) : placed;
  const from = placed.length - behind.length;
  const edges = leastOf(behind, (a, b) => order.compare(a.position, b.position), size).map(({ item, position }) => ({
    cursor: cursorOf(order.name, position),
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
  } satisfies Connection<T>;
}

/** The first so many in order. A page is a small part of a list that may be very long, and is not worth sorting all of it. */
function leastOf<T>(items: readonly T[], compare: (a: T, b: T) => number, size: number): readonly T[] {
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

const cursorOf = (name: string, position: Position): string =>
  Buffer.from(JSON.stringify([name, ...position])).toString('base64url');

function positionIn(cursor: string, name: string): Position {
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
  const [isNumberA, isNumberB] = [DIGITS.test(a), DIGITS.test(b)];
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  if (isNumberA && a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Without leading zeros, so that the longer one is the larger one. */
const DIGITS = /^(?:0|[1-9][0-9]*)$/;

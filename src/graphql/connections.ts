import { GraphError } from '../lib/errors.ts';
import { forEachYielding, type OperationBudget } from '../lib/operation-budget.ts';

/** The arguments of a field that is paginated from either end. */
export interface BidirectionalPageArgs extends PageArgs {
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** A page at one end of the entries between two cursors. */
export interface PageRequest {
  readonly size: number;
  /** Whether the page is at the upper end. In both cases its entries are in the order of the list. */
  readonly isBackward: boolean;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** The limit of a page size, with the setting that it comes from, if any. */
interface PageSizeLimit {
  readonly maxSize: number;
  readonly setting?: string;
}

/**
 * Reads the arguments of a page. `first` has a default value in the SDL, so `last` overrides it. Throws BAD_USER_INPUT for a size below 0 or
 * above the limit.
 */
export function pageRequestOf(args: BidirectionalPageArgs, { maxSize, setting }: PageSizeLimit): PageRequest {
  const isBackward = args.last !== null && args.last !== undefined;
  const size = isBackward ? args.last! : (args.first ?? DEFAULT_PAGE_SIZE);
  if (size < 0 || size > maxSize) {
    const name = isBackward ? 'last' : 'first';
    const message = `Invalid \`${name}\`. Pass a number from 0 to ${maxSize}${setting ? ` (${setting})` : ''}.`;
    throw new GraphError('BAD_USER_INPUT', message, { limit: maxSize, actual: size, ...(setting && { setting }) });
  }
  return { size, isBackward, after: args.after ?? undefined, before: args.before ?? undefined };
}

/** Sort key of an item: the values that it is sorted by, then values that make it unique. */
export type ListPosition = readonly string[];

/** An order of items. Cursors contain its name, so that a cursor of one order is rejected in another. */
export interface ListOrder<T> {
  readonly name: string;
  readonly compare: (a: T, b: T) => number;
  readonly positionOf: (item: T) => ListPosition;
  /** Returns whether an item comes after a position. Throws `invalidCursorError` for a position that no item can have. */
  readonly isAfter: (position: ListPosition) => (item: T) => boolean;
}

/** The items of a paginated list. */
export interface ListItems<T> {
  readonly items: readonly T[];
  /** Whether an item belongs to the list; undefined if all do. */
  readonly matches?: ((item: T) => boolean) | undefined;
  /** The budget of the operation, which counts and limits the time of the scan. */
  readonly budget?: OperationBudget | undefined;
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
export interface PageEdge<T> {
  readonly cursor: string;
  readonly node: T;
}

/** Creates a page of these items as defined by the Relay cursor connections specification. */
export const createPage = <T>(edges: readonly PageEdge<T>[], hasNextPage: boolean, hasPreviousPage: boolean) => ({
  edges,
  nodes: edges.map(({ node }) => node) as readonly T[],
  pageInfo: { hasNextPage, hasPreviousPage, startCursor: edges[0]?.cursor ?? null, endCursor: edges.at(-1)?.cursor ?? null },
});

/** A page. Lists whose items need further data are windowed. */
export type Page<T> = ReturnType<typeof createPage<T>>;

/** An item that could not be read is an error, which fails only its edge. */
export type RelayEdge<T> = PageEdge<T | Error>;

/** A page with the number of items in the whole list. */
export type RelayConnection<T> = Page<T | Error> & { readonly totalCount: number };

/**
 * Returns a page of a list. A cursor denotes a position, not an item, so it stays valid when its item is removed or the list grows. Yields to
 * the event loop while it scans a long list. Rejects with BAD_USER_INPUT for a cursor of another order, and for a `first` below 0 or above
 * MAX_PAGE_SIZE; with RESULT_TOO_LARGE when the budget is exhausted.
 */
export async function paginate<T, N>(
  { items, matches, budget }: ListItems<T>,
  order: ListOrder<T>,
  { first, after }: PageArgs,
  toNode: (item: T) => N | Error,
): Promise<RelayConnection<N>> {
  const { size } = pageRequestOf({ first }, { maxSize: MAX_PAGE_SIZE });
  const isAfter = after === null || after === undefined ? undefined : order.isAfter(decodeCursor(after, order.name));
  // The smallest items so far, without sorting the whole list, which may be much longer than a page.
  let page: T[] = [];
  /** The greatest of the smallest items so far. */
  let bound: T | undefined;
  const sortPage = (): void => {
    page = page.sort(order.compare).slice(0, size);
    bound = page.at(-1);
  };
  let totalCount = 0;
  let skipped = 0;
  await forEachYielding(items, budget, (item) => {
    if (matches && !matches(item)) return;
    totalCount += 1;
    if (isAfter && !isAfter(item)) skipped += 1;
    else if (size > 0 && (bound === undefined || order.compare(item, bound) < 0)) {
      if (page.push(item) >= 2 * size + EXTRA_CANDIDATES) sortPage();
    }
  });
  sortPage();
  const edges = page.map((item) => ({ cursor: encodeCursor(order.name, order.positionOf(item)), node: toNode(item) }));
  return { ...createPage(edges, skipped + edges.length < totalCount, skipped > 0), totalCount };
}

/** Candidates beyond twice the page size before they are sorted, so that a page of one item does not sort for each item. */
const EXTRA_CANDIDATES = 64;

const encodeCursor = (name: string, position: ListPosition): string =>
  Buffer.from(JSON.stringify([name, ...position])).toString('base64url');

function decodeCursor(cursor: string, name: string): ListPosition {
  try {
    const [order, ...position] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (order === name && position.every((part) => typeof part === 'string')) return position;
  } catch {
    // The text is not JSON. The error is thrown below, as for any other invalid cursor.
  }
  throw invalidCursorError();
}

/** The error BAD_USER_INPUT for a cursor that does not belong to the list. */
export const invalidCursorError = (): GraphError =>
  new GraphError('BAD_USER_INPUT', 'Invalid `after`. Pass a cursor from `pageInfo` or `edges` of a list in the same order.');

/** Compares integers of any size numerically and orders other strings after integers: 2 before 10, 10 before "a". */
export function compareNatural(a = '', b = ''): number {
  if (a === b) return 0;
  const [isNumberA, isNumberB] = [CANONICAL_INTEGER.test(a), CANONICAL_INTEGER.test(b)];
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  if (isNumberA && a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Without leading zeros, so that the integer with more digits is larger. */
export const CANONICAL_INTEGER = /^(?:0|[1-9][0-9]*)$/;

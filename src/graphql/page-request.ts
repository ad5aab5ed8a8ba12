import { GraphError } from '../errors.ts';
import { DEFAULT_PAGE_SIZE, type PageArgs } from './connections.ts';

/** The arguments of a field that is paginated from either end. */
export interface BidirectionalPageArgs extends PageArgs {
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** A page at one end of the entries between two cursors. */
export interface PageRequest {
  readonly size: number;
  /** Whether the page is at the upper end; its entries are in the order of the list anyway. */
  readonly isBackward: boolean;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** The limit of a page size, with the setting that it comes from, if any. */
export interface PageSizeLimit {
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

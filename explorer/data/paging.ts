/** Arguments of a connection. */
export interface PageArguments {
  readonly first?: number;
  readonly last?: number;
  readonly before?: string;
  readonly after?: string;
}

/** Where a page lies in its list. */
export interface PageInfo {
  readonly startCursor: string | null;
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** The arguments of the page that a parameter of the URL names: `before.<cursor>` or `after.<cursor>`; without one, the newest page. */
export function pageArguments(search: string, name: string, size: number): PageArguments {
  const [direction, cursor] = splitOnce(new URLSearchParams(search).get(name) ?? '');
  if (direction === 'before') return { last: size, before: cursor };
  return direction === 'after' ? { first: size, after: cursor } : { last: size };
}

/** The arguments of several lists as variables, whose names start with the keys of `names`. Each list has the size as `first`, which `last` replaces. */
export const pageVariables = (search: string, names: Readonly<Record<string, string>>, size: number) =>
  Object.fromEntries(
    Object.entries(names).flatMap(([prefix, name]) =>
      Object.entries(pageArguments(search, name, size))
        .filter(([key]) => key !== 'first')
        .map(([key, value]) => [`${prefix}${key[0]!.toUpperCase()}${key.slice(1)}`, value]),
    ),
  );

const splitOnce = (text: string): [string, string] => {
  const end = text.indexOf('.');
  return end < 0 ? ['', ''] : [text.slice(0, end), text.slice(end + 1)];
};

/** The arguments for a connection that has only `first` and `after`, and the newest entry first. */
export function forwardPageArguments(search: string, name: string, size: number): PageArguments {
  const { after } = pageArguments(search, name, size);
  return { first: size, ...(after !== undefined && { after }) };
}

/** The parameter of a page; null for the newest page. */
type PageParameter = string | null;

/** The pages beside a page; undefined where there is none. `isForward` is for the lists of `forwardPageArguments`. */
export function adjacentPages(pageInfo: PageInfo, isFirst: boolean, isForward: boolean) {
  const { startCursor, endCursor, hasNextPage, hasPreviousPage } = pageInfo;
  const older: PageParameter | undefined = isForward
    ? hasNextPage && endCursor !== null
      ? `after.${endCursor}`
      : undefined
    : hasPreviousPage && startCursor !== null
      ? `before.${startCursor}`
      : undefined;
  const newer: PageParameter | undefined = isFirst
    ? undefined
    : !isForward && hasNextPage && endCursor !== null
      ? `after.${endCursor}`
      : null;
  return { older, newer };
}

import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';

/** Position of a value in the result, as a linked list from the value to the root. */
export type ResultPath = GraphQLResolveInfo['path'];

/** The path of a field of an object at `prev`. */
export const fieldPath = (
  { key, parent }: { readonly key: string; readonly parent: GraphQLObjectType },
  prev: ResultPath | undefined,
): ResultPath => ({ prev, key, typename: parent.name });

/** The path of an item of a list. */
export const itemPath = (list: ResultPath | undefined, i: number): ResultPath => ({ prev: list, key: i, typename: undefined });

/** The path of the field that a value belongs to, which may be an item of a list. */
export function enclosingFieldPath(path: ResultPath): ResultPath {
  let current = path;
  while (typeof current.key === 'number') current = current.prev!;
  return current;
}

/** The keys of a path from the root, as errors report them. */
export function pathKeys(path: ResultPath): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let current: ResultPath | undefined = path; current; current = current.prev) keys.push(current.key);
  return keys.reverse();
}

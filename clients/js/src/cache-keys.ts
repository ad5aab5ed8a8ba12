import { OBJECT_TYPES, POSSIBLE_TYPES } from './generated/object-types.ts';

/** Types without `id` that one of their fields identifies. */
const IDENTIFYING_FIELDS: Readonly<Record<string, string>> = {
  Chain: 'chainID',
  Receipt: 'transactionHash',
  Token: 'address',
};

/**
 * Returns the identity of an object of the graph for a normalized cache; null for one that belongs to its parent, and where the identifying field is not
 * selected. The `id` of an account contains its block, so that its balances at two blocks are two objects. Ids of two chains may be equal, as those of
 * wizards are: the identity contains `chainId` where it is selected.
 */
export function identityOf(type: string, read: (field: string) => unknown): string | null {
  const identity = read(IDENTIFYING_FIELDS[type] ?? 'id');
  if (typeof identity !== 'string') return null;
  const chainId = read('chainId');
  return typeof chainId === 'string' ? `${chainId}:${identity}` : identity;
}

/**
 * The object types of each interface, `possibleTypes` of the caches of Apollo Client and urql: without it, they lose the fields of a fragment on an
 * interface, such as `ChainFields`.
 */
export const possibleTypes: Record<string, string[]> = POSSIBLE_TYPES;

/** The types that have an identity. */
export const identifiedTypes: readonly string[] = Object.entries(OBJECT_TYPES).flatMap(([type, hasId]) =>
  hasId || type in IDENTIFYING_FIELDS ? [type] : [],
);

/** The types whose objects belong to their parent. */
export const embeddedTypes: readonly string[] = Object.keys(OBJECT_TYPES).filter((type) => !identifiedTypes.includes(type));

import { OBJECT_TYPES } from './generated/object-types.ts';

type CachedObject = Readonly<Record<string, unknown>>;

/** Types without `id` that one of their fields identifies. */
const IDENTIFYING_FIELDS: Readonly<Record<string, string>> = { Receipt: 'transactionHash', Token: 'address' };

/**
 * Returns the identity of an object of the graph for a normalized cache; null for one that belongs to its parent, and where the identifying field is not
 * selected. The `id` of an account contains its block, so that its balances at two blocks are two objects.
 */
export function identityOf(type: string, object: CachedObject): string | null {
  const identity = object[IDENTIFYING_FIELDS[type] ?? 'id'];
  return typeof identity === 'string' ? identity : null;
}

/** The types that have an identity. */
export const identifiedTypes: readonly string[] = Object.entries(OBJECT_TYPES).flatMap(([type, hasId]) =>
  hasId || type in IDENTIFYING_FIELDS ? [type] : [],
);

/** The types whose objects belong to their parent. */
export const embeddedTypes: readonly string[] = Object.keys(OBJECT_TYPES).filter((type) => !identifiedTypes.includes(type));

export { IDENTIFYING_FIELDS };

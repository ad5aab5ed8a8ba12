import { type GraphQLResolveInfo, isObjectType } from 'graphql';
import { GraphError } from '../../lib/errors.ts';
import { infoForType } from '../selection.ts';
import { type EntityOwner, parseReference, type Representation, referenceResolverOf } from './entities.ts';
import { isolateError } from './entity-references.ts';

/** The entity type of each resolved object. Not a property of it: the objects are the node's own and shared with caches. */
const entityTypeNames = new WeakMap<object, string>();

/** Returns the type name of an object that `_entities` has resolved. */
export const entityTypeOf = (object: object): string | undefined => entityTypeNames.get(object);

/**
 * Creates the resolver of `_entities`. It starts all representations in one tick, so that their upstream calls share a request. An invalid
 * representation is an error of its item alone.
 */
export function createEntitiesResolver(owners: ReadonlyMap<string, EntityOwner>) {
  return (
    _query: unknown,
    { representations }: { representations: readonly unknown[] },
    context: unknown,
    info: GraphQLResolveInfo,
  ): unknown => {
    const infos = new Map<string, GraphQLResolveInfo>();
    const infoOf = (name: string): GraphQLResolveInfo => {
      const type = info.schema.getType(name);
      const typeInfo = infos.get(name) ?? (isObjectType(type) ? infoForType(info, type) : info);
      infos.set(name, typeInfo);
      return typeInfo;
    };
    const resolveEntity = (representation: unknown): unknown => {
      const { __typename: name } = (representation ?? {}) as { __typename?: unknown };
      const owner = typeof name === 'string' ? owners.get(name) : undefined;
      if (!owner) throw new GraphError('BAD_USER_INPUT', '`__typename` of a representation is not an entity of this subgraph.');
      const entity = owner.entities.get(name as string)!;
      const reference = parseReference(entity, representation as Representation);
      return referenceResolverOf(owner, entity.name)!(reference, context, infoOf(entity.name));
    };
    const tagType = (object: unknown, { __typename }: { __typename: string }): unknown => {
      if (typeof object === 'object' && object !== null) entityTypeNames.set(object, __typename);
      return object;
    };
    return representations.map((representation) =>
      isolateError(() => {
        const object = resolveEntity(representation);
        const reference = representation as { __typename: string };
        return object instanceof Promise ? object.then((resolved) => tagType(resolved, reference)) : tagType(object, reference);
      }),
    );
  };
}

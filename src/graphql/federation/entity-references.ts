import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isAbstractType,
  isObjectType,
} from 'graphql';
import { isPromise } from '../executor/value-writer.ts';
import {
  type DomainSubgraph,
  type Entity,
  type OwnedEntity,
  parseReference,
  type Representation,
  type TypeResolvers,
} from './entities.ts';
import { type FieldFilter, hasDirective, isInaccessible } from './sdl.ts';

type Resolver = GraphQLFieldResolver<unknown, unknown>;
type Info = GraphQLResolveInfo;

/** Whether a schema has a field of a domain's SDL. */
type OwnedEntities = ReadonlyMap<string, OwnedEntity>;

/**
 * Returns a domain's resolvers for the fields that `createFieldFilter` includes. Where a field returns an entity of
 * another domain, or extends one, its resolver is wrapped to do the work of a router: build a representation from the
 * key and pass it to the owner. All other resolvers are unchanged.
 */
export function resolveEntityReferences(subgraph: DomainSubgraph, entities: OwnedEntities, isSubgraph: boolean) {
  const { domain, schema, resolvers } = subgraph;
  const includesField = createFieldFilter(subgraph, entities, isSubgraph);
  const result: Record<string, TypeResolvers> = { ...resolvers };
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAbstractType(type) && schema.getPossibleTypes(type).some(({ name }) => foreignEntity(name, subgraph, entities))) {
      throw new Error(
        `${type.name} of ${domain.name} contains an entity of another domain. Abstract types may only contain entities of their own domain`,
      );
    }
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    if (subgraph.entities.has(type.name) && !entities.has(type.name)) {
      delete result[type.name];
      continue;
    }
    const fields = typeResolversOf(type, subgraph, entities, includesField);
    if (resolvers[type.name] || Object.keys(fields).length > 0) result[type.name] = fields;
  }
  return result;
}

/**
 * Creates a filter that excludes the key fields of other domains' entities, which their owner resolves; for the single graph, inaccessible and external
 * fields too.
 */
export const createFieldFilter =
  (subgraph: DomainSubgraph, entities: OwnedEntities, isSubgraph: boolean): FieldFilter =>
  (type, field) =>
    (isSubgraph || !(isInaccessible(field) || hasDirective(field, 'external'))) &&
    entities.has(type) === subgraph.entities.has(type) &&
    !foreignEntity(type, subgraph, entities)?.key.some(({ name }) => name === field.name.value);

/** The entity of this name when another domain owns it; undefined otherwise. */
function foreignEntity(type: string, subgraph: DomainSubgraph, entities: OwnedEntities): OwnedEntity | undefined {
  const entity = entities.get(type);
  return entity?.owner === subgraph ? undefined : entity;
}

/**
 * The resolvers of one type, wrapped where they return or extend another domain's entity; without the fields that only
 * routers use.
 */
function typeResolversOf(type: GraphQLObjectType, subgraph: DomainSubgraph, entities: OwnedEntities, includesField: FieldFilter) {
  const { __resolveReference, ...own } = subgraph.resolvers[type.name] ?? {};
  const foreign = foreignEntity(type.name, subgraph, entities);
  const external = subgraph.entities.get(type.name)?.external ?? [];
  // A router sends the external fields beside the key.
  const parent = foreign && external.length > 0 ? { ...foreign, key: [...foreign.key, ...external], external: [] } : foreign;
  const fields: Record<string, unknown> = own;
  for (const { name, type: returned, astNode } of Object.values(type.getFields())) {
    // An object may also have `subscribe`.
    const field = own[name] as Resolver | { readonly resolve?: Resolver } | undefined;
    const entity = foreignEntity(getNamedType(returned).name, subgraph, entities);
    if (!includesField(type.name, astNode!) || hasDirective(astNode, 'external')) delete fields[name];
    else if (parent || entity) {
      if (parent && !field) throw new Error(`${subgraph.domain.name} has no resolver for ${type.name}.${name}`);
      let resolve = (typeof field === 'object' ? field.resolve : field) ?? defaultFieldResolver;
      if (parent) resolve = withReferenceParent(resolve, parent);
      if (entity) resolve = withEntityReference(resolve, entity, subgraph.resolvers[entity.name]);
      fields[name] = typeof field === 'object' ? { ...field, resolve } : resolve;
    }
  }
  return fields;
}

/** Wraps a field that extends another domain's entity: its parent is the reference, as behind a router. */
function withReferenceParent(resolve: Resolver, entity: OwnedEntity): Resolver {
  const buildRepresentation = createRepresentationBuilder(entity, entity.owner?.resolvers[entity.name]);
  return (source, args, context, info) =>
    mapMaybePromise(buildRepresentation(source, context, info), (representation) =>
      resolve(parseReference(entity, representation), args, context, info),
    );
}

/** Wraps a field that returns another domain's entities: its values are converted to references, which the owner resolves. */
function withEntityReference(resolve: Resolver, entity: OwnedEntity, own: TypeResolvers | undefined): Resolver {
  const buildRepresentation = createRepresentationBuilder(entity, own);
  const toEntity = (value: unknown, context: unknown, info: Info): unknown => {
    if (value === null || value === undefined || value instanceof Error) return value;
    if (Array.isArray(value))
      return value.map((item) => isolateError(() => mapMaybePromise(item, (resolved) => toEntity(resolved, context, info))));
    return mapMaybePromise(buildRepresentation(value, context, info), (representation) =>
      entity.resolveReference(parseReference(entity, representation), context, info),
    );
  };
  return (source, args, context, info) =>
    mapMaybePromise(resolve(source, args, context, info), (value) => toEntity(value, context, info));
}

/** Creates a function that builds the representation of an object with the key resolvers of the domain that returned it. */
function createRepresentationBuilder({ name, key }: Entity, resolvers: TypeResolvers = {}) {
  const keyValueOf = (object: unknown, field: string, context: unknown, info: Info): unknown => {
    const resolve = resolvers[field] as Resolver | undefined;
    return resolve ? resolve(object, {}, context, info) : (object as Record<string, unknown>)[field];
  };
  const build = (values: readonly unknown[]): Representation => {
    const representation: Record<string, unknown> = { __typename: name };
    for (const [i, field] of key.entries()) {
      const value = values[i] ?? null;
      if (value === null && field.isRequired) throw new Error(`A reference to ${name} has no ${field.name}`);
      representation[field.name] = value === null ? null : field.scalar.serialize(value);
    }
    return representation;
  };
  return (object: unknown, context: unknown, info: Info): Representation | PromiseLike<Representation> => {
    const values = key.map(({ name: field }) => keyValueOf(object, field, context, info));
    return values.some(isPromise) ? Promise.all(values).then(build) : build(values);
  };
}

/** Passes a value, or the value of a promise once it resolves, to a function. */
export const mapMaybePromise = <T>(value: T | PromiseLike<T>, next: (value: T) => unknown): unknown =>
  isPromise(value) ? (value as PromiseLike<T>).then(next) : next(value);

/** Returns the result of a function, or the error that it throws: an error of one list item must not fail the others. */
export function isolateError(resolve: () => unknown): unknown {
  try {
    return resolve();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

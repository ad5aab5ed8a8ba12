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
  type EntityOwner,
  parseReference,
  type ReferenceResolver,
  type Representation,
  referenceResolverOf,
  type TypeResolvers,
} from './entities.ts';
import { isInaccessible } from './sdl.ts';

type Resolver = GraphQLFieldResolver<unknown, unknown>;
type Info = GraphQLResolveInfo;

/** Whether a schema has a field of a domain's SDL. */
export type FieldFilter = (type: string, field: string) => boolean;

/**
 * Returns a domain's resolvers for the fields that `includesField` accepts. Where a field returns an entity of another domain, or extends one,
 * its resolver is wrapped to do what a router would: build a representation from the key and pass it to the owner. All other resolvers are
 * unchanged.
 */
export function resolveEntityReferences(
  subgraph: DomainSubgraph,
  owners: ReadonlyMap<string, EntityOwner>,
  includesField: FieldFilter,
): Record<string, TypeResolvers> {
  const { name, schema, resolvers } = subgraph;
  const result: Record<string, TypeResolvers> = { ...resolvers };
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAbstractType(type) && schema.getPossibleTypes(type).some((possible) => foreignOwner(possible.name, subgraph, owners))) {
      throw new Error(
        `${type.name} of ${name} contains an entity of another domain. Abstract types may only contain entities of their own domain`,
      );
    }
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const fields = typeResolversOf(type, subgraph, owners, includesField);
    if (resolvers[type.name] || Object.keys(fields).length > 0) result[type.name] = fields;
  }
  return result;
}

/** Creates a filter that excludes the key fields of other domains' entities: the owner of an entity resolves its key. */
export const createSubgraphFieldFilter =
  (subgraph: DomainSubgraph, owners: ReadonlyMap<string, EntityOwner>): FieldFilter =>
  (type, field) =>
    !foreignOwner(type, subgraph, owners) || !subgraph.entities.get(type)!.key.some(({ name }) => name === field);

/** Creates a filter that excludes inaccessible fields too, as the single graph does. */
export function createGraphFieldFilter(subgraph: DomainSubgraph, owners: ReadonlyMap<string, EntityOwner>): FieldFilter {
  const isInSubgraph = createSubgraphFieldFilter(subgraph, owners);
  return (type, field) => {
    const node = (subgraph.schema.getType(type) as GraphQLObjectType).getFields()[field]?.astNode;
    return !!node && !isInaccessible(node) && isInSubgraph(type, field);
  };
}

/** The owner of an entity when that is another domain; undefined otherwise. */
function foreignOwner(type: string, subgraph: DomainSubgraph, owners: ReadonlyMap<string, EntityOwner>): EntityOwner | undefined {
  const owner = owners.get(type);
  return owner === subgraph ? undefined : owner;
}

/** The resolvers of one type, wrapped where they return or extend another domain's entity; without those that only routers use. */
function typeResolversOf(
  type: GraphQLObjectType,
  subgraph: DomainSubgraph,
  owners: ReadonlyMap<string, EntityOwner>,
  includesField: FieldFilter,
): TypeResolvers {
  const { __resolveReference, ...own } = subgraph.resolvers[type.name] ?? {};
  const parent = foreignOwner(type.name, subgraph, owners);
  const fields: Record<string, unknown> = own;
  for (const { name, type: returned } of Object.values(type.getFields())) {
    const field = own[name] as FieldConfig;
    const owner = foreignOwner(getNamedType(returned).name, subgraph, owners);
    if (!includesField(type.name, name)) delete fields[name];
    else if (parent || owner) {
      if (parent && !field) throw new Error(`${subgraph.name} has no resolver for ${type.name}.${name}`);
      let resolve = (typeof field === 'object' ? field.resolve : field) ?? defaultFieldResolver;
      if (parent) resolve = withReferenceParent(resolve, subgraph.entities.get(type.name)!, parent.resolvers[type.name]);
      if (owner) {
        const entity = subgraph.entities.get(getNamedType(returned).name)!;
        resolve = withEntityReference(resolve, entity, subgraph.resolvers[entity.name], referenceResolverOf(owner, entity.name)!);
      }
      fields[name] = typeof field === 'object' ? { ...field, resolve } : resolve;
    }
  }
  return fields;
}

/** A field's resolver: a function, or an object that may also have `subscribe`. */
type FieldConfig = Resolver | { readonly resolve?: Resolver } | undefined;

/** Wraps a field that extends another domain's entity: its parent is the reference, as behind a router. */
function withReferenceParent(resolve: Resolver, entity: Entity, owner: TypeResolvers | undefined): Resolver {
  const buildRepresentation = createRepresentationBuilder(entity, owner);
  return (source, args, context, info) =>
    mapMaybePromise(buildRepresentation(source, context, info), (representation) =>
      resolve(parseReference(entity, representation), args, context, info),
    );
}

/** Wraps a field that returns another domain's entities: its values are converted to references, which the owner resolves. */
function withEntityReference(
  resolve: Resolver,
  entity: Entity,
  own: TypeResolvers | undefined,
  resolveReference: ReferenceResolver,
): Resolver {
  const buildRepresentation = createRepresentationBuilder(entity, own);
  const toEntity = (value: unknown, context: unknown, info: Info): unknown => {
    if (value === null || value === undefined || value instanceof Error) return value;
    if (Array.isArray(value))
      return value.map((item) => isolateError(() => mapMaybePromise(item, (resolved) => toEntity(resolved, context, info))));
    return mapMaybePromise(buildRepresentation(value, context, info), (representation) =>
      resolveReference(parseReference(entity, representation), context, info),
    );
  };
  return (source, args, context, info) =>
    mapMaybePromise(resolve(source, args, context, info), (value) => toEntity(value, context, info));
}

/** Creates a function that builds the representation of an object with the key resolvers of the domain that returned it. */
function createRepresentationBuilder({ name, key }: Entity, resolvers: TypeResolvers = {}) {
  const resolveKey = key.map((field) => (resolvers[field.name] as Resolver | undefined) ?? propertyResolver(field.name));
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
    const values = resolveKey.map((resolve) => resolve(object, {}, context, info));
    return values.some(isPromise) ? Promise.all(values).then(build) : build(values);
  };
}

const propertyResolver =
  (name: string): Resolver =>
  (object) =>
    (object as Record<string, unknown>)[name];

const mapMaybePromise = <T>(value: T | PromiseLike<T>, next: (value: T) => unknown): unknown =>
  isPromise(value) ? (value as PromiseLike<T>).then(next) : next(value);

/** Returns the result of a function, or the error that it throws: an error of one list item must not fail the others. */
export function isolateError(resolve: () => unknown): unknown {
  try {
    return resolve();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

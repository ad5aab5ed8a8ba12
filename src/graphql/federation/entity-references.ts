import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isAbstractType,
  isObjectType,
} from 'graphql';
import {
  type DomainSubgraph,
  type Entity,
  parseReference,
  type ReferenceResolver,
  type Representation,
  referenceResolverOf,
  type TypeResolvers,
} from './entities.ts';
import { isInaccessible } from './sdl.ts';

type Resolver = GraphQLFieldResolver<unknown, unknown>;
type Info = GraphQLResolveInfo;

/**
 * A domain's resolvers for the one graph. Where a field crosses a border, it goes the way it would behind a router: a key, a
 * representation, the owner. Everywhere else they are the domain's own functions.
 */
export function resolveEntityReferences(
  part: DomainSubgraph,
  owners: ReadonlyMap<string, DomainSubgraph>,
): Record<string, TypeResolvers> {
  const { name, schema, resolvers } = part;
  const connected: Record<string, TypeResolvers> = { ...resolvers };
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAbstractType(type) && schema.getPossibleTypes(type).some((possible) => foreignOwner(possible.name, part, owners))) {
      throw new Error(`${type.name} of ${name} holds an entity of another domain, whose type no reference tells`);
    }
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const fields = typeResolversOf(type, part, owners);
    if (resolvers[type.name] || Object.keys(fields).length > 0) connected[type.name] = fields;
  }
  return connected;
}

/** Whether a field of a domain's SDL is in the one graph by that domain: not its stubs' keys, and nothing for routers alone. */
export function createGraphFieldFilter(
  part: DomainSubgraph,
  owners: ReadonlyMap<string, DomainSubgraph>,
): (type: string, field: string) => boolean {
  const { schema, entities } = part;
  return (type, field) => {
    const node = (schema.getType(type) as GraphQLObjectType).getFields()[field]?.astNode;
    const isStub = !!foreignOwner(type, part, owners) && entities.get(type)!.key.some(({ name }) => name === field);
    return !isStub && !!node && !isInaccessible(node);
  };
}

/** The owner of an entity, if that is another domain. */
function foreignOwner(
  type: string,
  part: DomainSubgraph,
  owners: ReadonlyMap<string, DomainSubgraph>,
): DomainSubgraph | undefined {
  const owner = owners.get(type);
  return owner === part ? undefined : owner;
}

/** The resolvers of one type: its own, but for the fields at a border, and for what only routers need. */
function typeResolversOf(
  type: GraphQLObjectType,
  part: DomainSubgraph,
  owners: ReadonlyMap<string, DomainSubgraph>,
): TypeResolvers {
  const { __resolveReference, ...own } = part.resolvers[type.name] ?? {};
  const isThere = createGraphFieldFilter(part, owners);
  const parent = foreignOwner(type.name, part, owners);
  const fields: Record<string, unknown> = own;
  for (const { name, type: returned } of Object.values(type.getFields())) {
    const given = own[name] as FieldConfig;
    const owner = foreignOwner(getNamedType(returned).name, part, owners);
    if (!isThere(type.name, name)) delete fields[name];
    else if (parent || owner) {
      if (parent && !given) throw new Error(`${part.name} has no resolver for its ${type.name}.${name}`);
      let resolve = (typeof given === 'object' ? given.resolve : given) ?? defaultFieldResolver;
      if (parent) resolve = withReferenceParent(resolve, part.entities.get(type.name)!, parent.resolvers[type.name]);
      if (owner) {
        const entity = part.entities.get(getNamedType(returned).name)!;
        resolve = withEntityReference(resolve, entity, part.resolvers[entity.name], referenceResolverOf(owner, entity.name)!);
      }
      fields[name] = typeof given === 'object' ? { ...given, resolve } : resolve;
    }
  }
  return fields;
}

/** A field as resolvers have it: a function, or with a subscription's source beside it. */
type FieldConfig = Resolver | { readonly resolve?: Resolver } | undefined;

/** A field that is added to another domain's entity: its parent is the key, as behind a router. */
function withReferenceParent(resolve: Resolver, entity: Entity, owner: TypeResolvers | undefined): Resolver {
  const represent = createRepresentationBuilder(entity, owner);
  return (source, args, context, info) =>
    mapMaybePromise(represent(source, context, info), (key) => resolve(parseReference(entity, key), args, context, info));
}

/** A field whose objects belong to another domain: it gives their keys, and their owner makes the whole of each. */
function withEntityReference(
  resolve: Resolver,
  entity: Entity,
  own: TypeResolvers | undefined,
  toWhole: ReferenceResolver,
): Resolver {
  const represent = createRepresentationBuilder(entity, own);
  const handOver = (value: unknown, context: unknown, info: Info): unknown => {
    if (value === null || value === undefined || value instanceof Error) return value;
    if (Array.isArray(value))
      return value.map((item) => isolateError(() => mapMaybePromise(item, (one) => handOver(one, context, info))));
    return mapMaybePromise(represent(value, context, info), (key) => toWhole(parseReference(entity, key), context, info));
  };
  return (source, args, context, info) =>
    mapMaybePromise(resolve(source, args, context, info), (value) => handOver(value, context, info));
}

/** Makes the representations that a router would, by the key's resolvers of the domain that the objects come from. */
function createRepresentationBuilder({ name, key }: Entity, resolvers: TypeResolvers = {}) {
  const resolveKey = key.map((field) => (resolvers[field.name] as Resolver | undefined) ?? propertyResolver(field.name));
  const make = (values: readonly unknown[]): Representation => {
    const representation: Record<string, unknown> = { __typename: name };
    for (const [i, field] of key.entries()) {
      const value = values[i] ?? null;
      if (value === null && field.isRequired) throw new Error(`${name} comes to a border without its ${field.name}`);
      representation[field.name] = value === null ? null : field.scalar.serialize(value);
    }
    return representation;
  };
  return (object: unknown, context: unknown, info: Info): Representation | PromiseLike<Representation> => {
    const values = resolveKey.map((resolve) => resolve(object, {}, context, info));
    return values.some(isPromise) ? Promise.all(values).then(make) : make(values);
  };
}

const propertyResolver =
  (name: string): Resolver =>
  (object) =>
    (object as Record<string, unknown>)[name];

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

const mapMaybePromise = <T>(value: T | PromiseLike<T>, next: (value: T) => unknown): unknown =>
  isPromise(value) ? (value as PromiseLike<T>).then(next) : next(value);

/** What goes wrong with one item of a list is that item's error. */
export function isolateError(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

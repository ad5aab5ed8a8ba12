import {
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLScalarType,
  type GraphQLSchema,
  getNullableType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
} from 'graphql';
import { GraphError } from '../../lib/errors.ts';
import { scalars } from '../scalars.ts';
import { type AnyDomain, domainSchema, hasDirective } from './sdl.ts';

/** A reference to an entity of another domain: `__typename` and the fields of the key, as a router sends them. */
export type Representation = Readonly<Record<string, unknown>>;

/** Resolves a reference to the entity, or null; `__resolveReference` of the owning domain. */
export type ReferenceResolver = (reference: Representation, context: unknown, info: GraphQLResolveInfo) => unknown;
/** A domain's resolvers of one type by field. */
export type TypeResolvers = Readonly<Record<string, unknown>>;

interface KeyField {
  readonly name: string;
  readonly scalar: GraphQLScalarType;
  readonly isRequired: boolean;
}

/** A type with a key, so that any domain can refer to its objects. */
export interface Entity {
  readonly name: string;
  readonly key: readonly KeyField[];
  /** Fields of another domain that resolvers of this one need (`@external`); absent from references that need none. */
  readonly external: readonly KeyField[];
}

/** A domain with its parsed SDL document. */
export interface DomainSubgraph {
  readonly domain: AnyDomain;
  readonly schema: GraphQLSchema;
  readonly entities: ReadonlyMap<string, Entity>;
  readonly resolvers: Readonly<Record<string, TypeResolvers>>;
}

/** An entity with the domain that resolves references to it; undefined if that is another subgraph. */
export interface OwnedEntity extends Entity {
  readonly owner: DomainSubgraph | undefined;
  readonly resolveReference: ReferenceResolver;
}

/** Parses a domain's SDL. Throws when an entity does not have exactly one key of scalar fields. */
export function domainSubgraph(domain: AnyDomain): DomainSubgraph {
  const schema = domainSchema(domain);
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const entities = new Map(types.flatMap((type) => parseEntity(type) ?? []).map((entity) => [entity.name, entity]));
  return { domain, schema, entities, resolvers: domain.resolvers as DomainSubgraph['resolvers'] };
}

function parseEntity(type: GraphQLObjectType): Entity | undefined {
  const keys = (type.astNode?.directives ?? []).filter(({ name }) => name.value === 'key');
  if (keys.length === 0) return undefined;
  const fields = keys[0]!.arguments?.find(({ name }) => name.value === 'fields')?.value;
  // With two keys, a router may send either key, and the values of the other key are lost.
  if (keys.length > 1 || fields?.kind !== Kind.STRING) throw new Error(`${type.name} must have exactly one @key`);
  const toKeyField = (name: string): KeyField => {
    const field = type.getFields()[name];
    const scalar = field && getNullableType(field.type);
    if (!isScalarType(scalar)) throw new Error(`The key of ${type.name} contains ${name}, which is not a scalar field`);
    const custom = (scalars as Record<string, GraphQLScalarType>)[scalar.name];
    return { name, scalar: custom ?? scalar, isRequired: isNonNullType(field!.type) };
  };
  const key = fields.value.trim().split(/\s+/).map(toKeyField);
  const external = Object.values(type.getFields()).filter(({ astNode }) => hasDirective(astNode, 'external'));
  return { name: type.name, key, external: external.map(({ name }) => ({ ...toKeyField(name), isRequired: false })) };
}

/**
 * Returns the entities by name. A domain owns an entity if it has a reference resolver for it. Throws if two domains own an entity, or if its key
 * differs between domains. An entity without an owner belongs to another subgraph, and its objects are the references themselves, because a router resolves
 * the other fields; in the single graph it is an error.
 */
export function ownedEntities(subgraphs: readonly DomainSubgraph[], isSubgraph: boolean): ReadonlyMap<string, OwnedEntity> {
  const owned = new Map<string, OwnedEntity>();
  for (const subgraph of subgraphs) {
    const { name } = subgraph.domain;
    for (const [type, { __resolveReference }] of Object.entries(subgraph.resolvers)) {
      if (!__resolveReference) continue;
      const entity = subgraph.entities.get(type);
      if (!entity) throw new Error(`${name} resolves references to ${type}, which has no @key in its SDL`);
      const other = owned.get(type)?.owner;
      if (other) throw new Error(`${other.domain.name} and ${name} both own ${type}`);
      owned.set(type, { ...entity, owner: subgraph, resolveReference: __resolveReference as ReferenceResolver });
    }
  }
  for (const { domain, entities } of subgraphs) {
    for (const entity of entities.values()) {
      const { name } = entity;
      if (!owned.has(name)) {
        // Fields that require values of the owner do not exist without it.
        if (!isSubgraph && entity.external.length > 0) continue;
        if (!isSubgraph) throw new Error(`No domain resolves references to ${name}`);
        owned.set(name, { ...entity, owner: undefined, resolveReference: (reference) => reference });
      }
      if (signatureOf(owned.get(name)!) !== signatureOf(entity))
        throw new Error(`The key of ${name} differs in ${domain.name}: ${signatureOf(entity)}`);
    }
  }
  return owned;
}

const signatureOf = ({ key }: Entity): string =>
  key.map(({ name, scalar, isRequired }) => `${name}: ${scalar.name}${isRequired ? '!' : ''}`).join(' ');

/** Converts a representation to a reference: the fields of its key in canonical form. Throws BAD_USER_INPUT for a missing or invalid field. */
export function parseReference({ name: type, key, external }: Entity, representation: Representation): Representation {
  const reference: Record<string, unknown> = { __typename: type };
  for (const { name, scalar, isRequired } of [...key, ...external]) {
    const value = representation[name] ?? null;
    if (value === null && isRequired)
      throw new GraphError('BAD_USER_INPUT', `A reference to ${type} has no ${name}. Pass all fields of its key.`);
    try {
      reference[name] = value === null ? null : scalar.parseValue(value);
    } catch (cause) {
      const message = `A reference to ${type} has an invalid ${name}. ${(cause as Error).message}`;
      throw new GraphError('BAD_USER_INPUT', message, { cause });
    }
  }
  return reference;
}

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
import type { AnyDomain } from './sdl.ts';
import { domainSchema } from './sdl.ts';

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
}

/** Owns entities: resolves references to them. */
export interface EntityOwner {
  readonly name: string;
  readonly entities: ReadonlyMap<string, Entity>;
  readonly resolvers: Readonly<Record<string, TypeResolvers>>;
}

/** A domain with its parsed SDL. */
export interface DomainSubgraph extends EntityOwner {
  readonly domain: AnyDomain;
  readonly schema: GraphQLSchema;
}

/** Parses a domain's SDL. Throws when an entity does not have exactly one key of scalar fields. */
export function domainSubgraph(domain: AnyDomain): DomainSubgraph {
  const schema = domainSchema(domain);
  const entities = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => parseEntity(type) ?? []);
  return {
    name: domain.name,
    domain,
    schema,
    entities: new Map(entities.map((entity) => [entity.name, entity])),
    resolvers: domain.resolvers as DomainSubgraph['resolvers'],
  };
}

function parseEntity(type: GraphQLObjectType): Entity | undefined {
  const keys = (type.astNode?.directives ?? []).filter(({ name }) => name.value === 'key');
  if (keys.length === 0) return undefined;
  const fields = keys[0]!.arguments?.find(({ name }) => name.value === 'fields')?.value;
  // With two keys, a router may send either one, and the values of the other are lost.
  if (keys.length > 1 || fields?.kind !== Kind.STRING) throw new Error(`${type.name} must have exactly one @key`);
  const key = fields.value
    .trim()
    .split(/\s+/)
    .map((name) => {
      const field = type.getFields()[name];
      const scalar = field && getNullableType(field.type);
      if (!isScalarType(scalar)) throw new Error(`The key of ${type.name} contains ${name}, which is not a scalar field`);
      const custom = (scalars as Record<string, GraphQLScalarType>)[scalar.name];
      return { name, scalar: custom ?? scalar, isRequired: isNonNullType(field!.type) };
    });
  return { name: type.name, key };
}

/** The reference resolver of a type; a domain that has one owns the entity. */
export const referenceResolverOf = (owner: EntityOwner, type: string): ReferenceResolver | undefined =>
  owner.resolvers[type]?.__resolveReference as ReferenceResolver | undefined;

/** Owns the entities that none of these domains owns. Their objects are the references themselves: a router resolves the other fields. */
export function stubOwner(subgraphs: readonly DomainSubgraph[]): EntityOwner {
  const stubs = subgraphs
    .flatMap(({ entities }) => [...entities.values()])
    .filter(({ name }) => !subgraphs.some((subgraph) => referenceResolverOf(subgraph, name)));
  return {
    name: 'another subgraph',
    entities: new Map(stubs.map((entity) => [entity.name, entity])),
    resolvers: Object.fromEntries(
      stubs.map(({ name }) => [name, { __resolveReference: (reference: Representation) => reference }]),
    ),
  };
}

/** Maps each entity to its owner. Throws unless each has exactly one owner and the same key in all domains. */
export function entityOwners(subgraphs: readonly EntityOwner[]): ReadonlyMap<string, EntityOwner> {
  const owners = new Map<string, EntityOwner>();
  const keys = new Map<string, string>();
  for (const subgraph of subgraphs) {
    for (const type of Object.keys(subgraph.resolvers)) {
      if (!referenceResolverOf(subgraph, type)) continue;
      if (!subgraph.entities.has(type))
        throw new Error(`${subgraph.name} resolves references to ${type}, which has no @key in its SDL`);
      const other = owners.get(type);
      if (other) throw new Error(`${other.name} and ${subgraph.name} both own ${type}`);
      owners.set(type, subgraph);
    }
    for (const { name, key } of subgraph.entities.values()) {
      const signature = key.map((field) => `${field.name}: ${field.scalar.name}${field.isRequired ? '!' : ''}`).join(' ');
      if ((keys.get(name) ?? signature) !== signature)
        throw new Error(`The key of ${name} differs in ${subgraph.name}: ${signature}`);
      keys.set(name, signature);
    }
  }
  const orphan = [...keys.keys()].find((name) => !owners.has(name));
  if (orphan) throw new Error(`No domain resolves references to ${orphan}`);
  return owners;
}

/** Converts a representation to a reference: the fields of its key in canonical form. Throws BAD_USER_INPUT for a missing or invalid field. */
export function parseReference({ name, key }: Entity, representation: Representation): Representation {
  const reference: Record<string, unknown> = { __typename: name };
  for (const field of key) {
    const value = representation[field.name] ?? null;
    if (value === null && field.isRequired)
      throw new GraphError('BAD_USER_INPUT', `A reference to ${name} has no ${field.name}. Pass all fields of its key.`);
    reference[field.name] = value === null ? null : parseKeyField(name, field, value);
  }
  return reference;
}

function parseKeyField(type: string, { name, scalar }: KeyField, value: unknown): unknown {
  try {
    return scalar.parseValue(value);
  } catch (cause) {
    throw new GraphError('BAD_USER_INPUT', `A reference to ${type} has an invalid ${name}. ${(cause as Error).message}`, {
      cause,
    });
  }
}

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
import { GraphError } from '../../errors.ts';
import type { AnyDomain } from '../domain.ts';
import { scalars } from '../scalars.ts';
import { domainSchema } from './sdl.ts';

/** What stands for an entity outside of its domain: its type's name and the fields of its key, as a router sends them. */
export type Representation = Readonly<Record<string, unknown>>;

/** A domain's function that makes the whole out of a representation. */
export type ReferenceResolver = (reference: Representation, context: unknown, info: GraphQLResolveInfo) => unknown;
/** A domain's resolvers of one type. */
export type TypeResolvers = Readonly<Record<string, unknown>>;

interface KeyField {
  readonly name: string;
  readonly scalar: GraphQLScalarType;
  readonly isRequired: boolean;
}

/** A type with a key, by which any domain may name an object of it. */
export interface Entity {
  readonly name: string;
  readonly key: readonly KeyField[];
}

/** A domain as its own SDL describes it. */
export interface DomainSubgraph {
  readonly name: string;
  readonly domain: AnyDomain;
  readonly schema: GraphQLSchema;
  readonly entities: ReadonlyMap<string, Entity>;
  readonly resolvers: Readonly<Record<string, TypeResolvers>>;
}

/** Reads a domain's SDL. Throws when it has an entity whose key is not one list of leaf fields. */
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
  // With two keys, which of them a router sends is its own affair, and what the other one says is lost.
  if (keys.length > 1 || fields?.kind !== Kind.STRING) throw new Error(`${type.name} needs one key`);
  const key = fields.value
    .trim()
    .split(/\s+/)
    .map((name) => {
      const field = type.getFields()[name];
      const scalar = field && getNullableType(field.type);
      if (!isScalarType(scalar)) throw new Error(`the key of ${type.name} has ${name}, which is no field with a scalar`);
      const own = (scalars as Record<string, GraphQLScalarType>)[scalar.name];
      return { name, scalar: own ?? scalar, isRequired: isNonNullType(field!.type) };
    });
  return { name: type.name, key };
}

/** The function that makes a domain the owner of an entity. */
export const referenceResolverOf = (part: DomainSubgraph, type: string): ReferenceResolver | undefined =>
  part.resolvers[type]?.__resolveReference as ReferenceResolver | undefined;

/** The domain that owns each entity. Throws unless each has exactly one owner, and the same key everywhere. */
export function entityOwners(parts: readonly DomainSubgraph[]): ReadonlyMap<string, DomainSubgraph> {
  const owners = new Map<string, DomainSubgraph>();
  const keys = new Map<string, string>();
  for (const part of parts) {
    for (const type of Object.keys(part.resolvers)) {
      if (!referenceResolverOf(part, type)) continue;
      if (!part.entities.has(type)) throw new Error(`${part.name} resolves references to ${type}, which has no key in its SDL`);
      const other = owners.get(type);
      if (other) throw new Error(`${other.name} and ${part.name} both own ${type}`);
      owners.set(type, part);
    }
    for (const { name, key } of part.entities.values()) {
      const written = key.map((field) => `${field.name}: ${field.scalar.name}${field.isRequired ? '!' : ''}`).join(' ');
      if ((keys.get(name) ?? written) !== written) throw new Error(`${name} has another key in ${part.name}: ${written}`);
      keys.set(name, written);
    }
  }
  const orphan = [...keys.keys()].find((name) => !owners.has(name));
  if (orphan) throw new Error(`nobody owns ${orphan}`);
  return owners;
}

/** The reference that a representation holds, each field of the key in its one spelling. BAD_USER_INPUT when it holds none. */
export function parseReference({ name, key }: Entity, representation: Representation): Representation {
  const reference: Record<string, unknown> = { __typename: name };
  for (const field of key) {
    const value = representation[field.name] ?? null;
    if (value === null && field.isRequired) throw new GraphError('BAD_USER_INPUT', `A reference to ${name} needs ${field.name}.`);
    reference[field.name] = value === null ? null : parseKeyField(name, field, value);
  }
  return reference;
}

function parseKeyField(type: string, { name, scalar }: KeyField, value: unknown): unknown {
  try {
    return scalar.parseValue(value);
  } catch (cause) {
    throw new GraphError('BAD_USER_INPUT', `A reference to ${type} has a wrong ${name}. ${(cause as Error).message}`, { cause });
  }
}

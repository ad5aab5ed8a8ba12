import {
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import MiniSearch from 'minisearch';

/** An element of a schema. */
export interface SchemaElement {
  /** `Type`, `Type.field`, or `Enum.VALUE`. */
  readonly coordinate: string;
  /** As in SDL: `Query.block(number: Long, hash: Bytes32, tag: BlockTag): Block`. */
  readonly signature: string;
  readonly description: string;
}

const argumentText = ({ name, type }: GraphQLArgument): string => `${name}: ${type}`;
/** The arguments of a field as in SDL; empty without arguments. */
export const argumentsText = (args: readonly GraphQLArgument[]): string =>
  args.length === 0 ? '' : `(${args.map(argumentText).join(', ')})`;
const argumentDescriptions = (args: readonly GraphQLArgument[]): string =>
  args.map(({ name, description }) => `${name}: ${description ?? ''}`).join(' ');

const kindOf = (type: GraphQLNamedType): string =>
  isObjectType(type)
    ? 'type'
    : isInterfaceType(type)
      ? 'interface'
      : isInputObjectType(type)
        ? 'input'
        : isEnumType(type)
          ? 'enum'
          : 'scalar';

/** The fields of a type, or the values of an enum. */
const membersOf = (type: GraphQLNamedType) =>
  isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
    ? Object.values(type.getFields())
    : isEnumType(type)
      ? type.getValues()
      : [];

/** Lists the types, fields and enum values of a schema, without those of introspection. */
const schemaElements = (schema: GraphQLSchema) =>
  Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => [
      {
        coordinate: type.name,
        signature: `${kindOf(type)} ${type.name}`,
        description: type.description ?? '',
        name: type.name,
      },
      ...membersOf(type).map((member) => ({
        coordinate: `${type.name}.${member.name}`,
        signature: `${type.name}.${member.name}${'args' in member ? argumentsText(member.args) : ''}${'type' in member ? `: ${member.type}` : ''}`,
        description: member.description ?? '',
        name: member.name,
        owner: type.name,
        argumentText: 'args' in member ? argumentDescriptions(member.args) : '',
      })),
    ]);

/** Splits a text into words in lower case, camel case included, in the singular: `tokenBalances` is `token` and `balance`. */
export const wordsOf = (text: string): string[] =>
  (text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').match(/[A-Za-z0-9]+/g) ?? []).map((word) =>
    word.toLowerCase().replace(/(?<=[^s]{2})s$/, ''),
  );

/** The types whose fields start an operation. */
export const ROOT_TYPES: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription']);

/** Whether a coordinate is that of a field at which an operation starts. */
export const isRootField = (coordinate: string): boolean =>
  coordinate.includes('.') && ROOT_TYPES.has(coordinate.slice(0, coordinate.indexOf('.')));

const indexes = new WeakMap<GraphQLSchema, MiniSearch>();

function indexOf(schema: GraphQLSchema): MiniSearch {
  const known = indexes.get(schema);
  if (known) return known;
  const index = new MiniSearch({
    idField: 'coordinate',
    fields: ['name', 'owner', 'description', 'argumentText'],
    storeFields: ['coordinate', 'signature', 'description'],
    tokenize: wordsOf,
    searchOptions: { boost: { name: 5, owner: 2 }, boostDocument: (coordinate) => (isRootField(coordinate) ? 1.5 : 1) },
  });
  index.addAll(schemaElements(schema));
  indexes.set(schema, index);
  return index;
}

/** The elements of a schema that match a text best, by the words of their names and descriptions; empty if none has such a word. */
export const searchSchema = (schema: GraphQLSchema, text: string, limit: number): SchemaElement[] =>
  indexOf(schema)
    .search(text)
    .slice(0, limit)
    .map(({ coordinate, signature, description }) => ({ coordinate, signature, description }));

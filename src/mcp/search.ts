import { type GraphQLArgument, type GraphQLNamedType, type GraphQLSchema, isEnumType } from 'graphql';
import MiniSearch from 'minisearch';

/** The arguments of a field as in SDL; empty without arguments. */
export const argumentsText = (args: readonly GraphQLArgument[]): string =>
  args.length === 0 ? '' : `(${args.map(({ name, type }) => `${name}: ${type}`).join(', ')})`;

/** The fields of a type, or the values of an enum. */
function membersOf(type: GraphQLNamedType) {
  if (isEnumType(type)) return type.getValues();
  return 'getFields' in type ? Object.values(type.getFields()) : [];
}

/** Lists the types, fields and enum values of a schema, without introspection types and fields. */
const schemaElements = (schema: GraphQLSchema) =>
  Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => [
      { coordinate: type.name, signature: type.name, description: type.description ?? '', name: type.name },
      ...membersOf(type).map((member) => {
        const args: readonly GraphQLArgument[] = 'args' in member ? member.args : [];
        const coordinate = `${type.name}.${member.name}`;
        return {
          coordinate,
          signature: `${coordinate}${argumentsText(args)}${'type' in member ? `: ${member.type}` : ''}`,
          description: member.description ?? '',
          name: member.name,
          owner: type.name,
          argumentText: args.map(({ name, description }) => `${name}: ${description ?? ''}`).join(' '),
        };
      }),
    ]);

/** Splits a text into words in lower case, camel case included, in the singular: `tokenBalances` is `token` and `balance`. */
export const wordsOf = (text: string): string[] =>
  (text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').match(/[A-Za-z0-9]+/g) ?? []).map((word) =>
    word.toLowerCase().replace(/(?<=[^s]{2})s$/, ''),
  );

/** Whether an operation starts at the field with this coordinate. */
export const isRootField = (coordinate: string): boolean => /^(?:Query|Mutation|Subscription)\./.test(coordinate);

const indexes = new WeakMap<GraphQLSchema, MiniSearch>();

function indexOf(schema: GraphQLSchema): MiniSearch {
  const known = indexes.get(schema);
  if (known) return known;
  const index = new MiniSearch({
    idField: 'coordinate',
    fields: ['name', 'owner', 'description', 'argumentText'],
    storeFields: ['coordinate', 'owner', 'signature', 'description'],
    tokenize: wordsOf,
    searchOptions: { boost: { name: 5, owner: 2 }, boostDocument: (coordinate) => (isRootField(coordinate) ? 1.5 : 1) },
  });
  index.addAll(schemaElements(schema));
  indexes.set(schema, index);
  return index;
}

/** Names up to three members of a type, or types without `owner`, that resemble `name`, as the end of an error; empty if there are none. */
export const suggestion = (schema: GraphQLSchema, name: string, owner?: string): string => {
  const similar = indexOf(schema)
    .search(name, { fuzzy: 0.3, prefix: true, filter: (match) => match.owner === owner })
    .slice(0, 3);
  return similar.length === 0 ? '' : ` Did you mean ${similar.map(({ coordinate }) => coordinate).join(', ')}?`;
};

/**
 * The elements of a schema that match a text best, by the words of their names and descriptions; empty if no element
 * has a word of the text. `coordinate` is `Type`, `Type.field`, or `Enum.VALUE`; `signature` is as in SDL:
 * `Query.block(number: Long, hash: Bytes32, tag: BlockTag): Block`.
 */
export const searchSchema = (schema: GraphQLSchema, text: string, limit: number) =>
  indexOf(schema)
    .search(text)
    .slice(0, limit)
    .map(({ coordinate, signature, description }) => ({ coordinate, signature, description }));

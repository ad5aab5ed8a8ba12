import { type GraphQLArgument, type GraphQLNamedType, type GraphQLSchema, getNamedType, isEnumType } from 'graphql';
import MiniSearch, { type SearchResult } from 'minisearch';
import { memoizePerObject } from '../lib/memoize.ts';

/** The arguments of a field as in SDL; empty without arguments. */
export const argumentsText = (args: readonly GraphQLArgument[]): string =>
  args.length === 0 ? '' : `(${args.map(({ name, type }) => `${name}: ${type}`).join(', ')})`;

/** The fields of a type, or the values of an enum. */
export function membersOf(type: GraphQLNamedType) {
  if (isEnumType(type)) return type.getValues();
  return 'getFields' in type ? Object.values(type.getFields()) : [];
}

/** Types with the fields of `Query`, which would repeat each match of a root field. */
const COPIES_OF_QUERY: ReadonlySet<string> = new Set(['Chain', 'ChainFields']);

/** Lists the types, fields and enum values of a schema, without introspection types and fields. */
const schemaElements = (schema: GraphQLSchema) =>
  Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => [
      { coordinate: type.name, signature: type.name, description: type.description ?? '', name: type.name },
      ...(COPIES_OF_QUERY.has(type.name) ? [] : membersOf(type)).map((member) => {
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

/** Splits a text into words in lower case without endings, camel case included: `decodedLogs` is `decod` and `log`. */
export const wordsOf = (text: string): string[] =>
  (text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').match(/[A-Za-z0-9]+/g) ?? []).map((word) =>
    word.toLowerCase().replace(/(?<=\w{3})(?:es?|ed|ing)$|(?<=\w[^s])s$/, ''),
  );

/** Words of a search that describe nothing. */
const STOP_WORDS = /\b(?:an?|and|are|as|at|be|by|do|for|from|how|in|is|it|its|of|on|or|that|the|this|to|what|which|who|with)\b/gi;

/** Words of a search, and the words of the schema that mean the same. */
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    function: 'call',
    rank: 'order',
    read: 'call',
    trend: 'history',
    won: 'winner',
  }),
);

/** The words of a search, and their synonyms. A search of stop words alone looks for names such as `from`. */
const searchedWords = (text: string): string[] => {
  const words = wordsOf(text.replace(STOP_WORDS, ' '));
  return (words.length > 0 ? words : wordsOf(text)).flatMap((word) => [word, ...wordsOf(SYNONYMS.get(word) ?? '')]);
};

/** Whether an operation starts at the field with this coordinate. */
export const isRootField = (coordinate: string): boolean => /^(?:Query|Mutation|Subscription)\./.test(coordinate);

const indexOf = memoizePerObject((schema: GraphQLSchema) => {
  // Types that a query returns, also in pages, precede types that only describe their parts, filters or inputs.
  const roots = Object.values(schema.getQueryType()?.getFields() ?? {});
  const entities = new Set(roots.map(({ type }) => getNamedType(type).name.replace(/Connection$/, '')));
  const boostDocument = (coordinate: string): number =>
    isRootField(coordinate) ? 1.5 : entities.has(coordinate.split('.')[0]!) ? 1.2 : 1;
  const index = new MiniSearch({
    idField: 'coordinate',
    fields: ['name', 'owner', 'description', 'argumentText'],
    storeFields: ['coordinate', 'name', 'owner', 'signature', 'description'],
    tokenize: wordsOf,
    searchOptions: { tokenize: searchedWords, boost: { name: 5, owner: 2 }, boostDocument },
  });
  index.addAll(schemaElements(schema));
  return index;
});

/** The names of the schema and of resources are shorter. The work of a fuzzy search grows with the words, and with the square of their lengths. */
const MAX_SIMILAR_CHARS = 64;

/** Names up to three entries of an index that resemble a text, as the end of an error; empty if there are none. */
export function didYouMean(index: MiniSearch, text: string, filter = (_match: SearchResult) => true): string {
  const similar = index.search(text.slice(0, MAX_SIMILAR_CHARS), { fuzzy: 0.3, prefix: true, filter }).slice(0, 3);
  return similar.length === 0 ? '' : ` Did you mean ${similar.map(({ id }) => id).join(', ')}?`;
}

/** Names up to three members of a type, or types without `owner`, that resemble `name`, as the end of an error; empty if there are none. */
export const suggestion = (schema: GraphQLSchema, name: string, owner?: string): string =>
  didYouMean(indexOf(schema), name, (match) => match.owner === owner);

/** The score of a match, higher if its name consists of words of the search. */
const scoreOf = ({ name, terms, score }: SearchResult): number =>
  wordsOf(name).every((word) => terms.includes(word)) ? 1.5 * score : score;

/**
 * The elements of a schema that match a text best, by the words of their names and descriptions. An element whose name consists of words of the
 * text precedes other elements. Empty if no element has a word of the text. `coordinate` is `Type`, `Type.field`, or `Enum.VALUE`; `signature` is as in SDL:
 * `Query.block(number: Long, hash: Bytes32, tag: BlockTag): Block`.
 */
export const searchSchema = (schema: GraphQLSchema, text: string, limit: number) =>
  indexOf(schema)
    .search(text)
    .sort((a, b) => scoreOf(b) - scoreOf(a))
    .slice(0, limit)
    .map(({ coordinate, signature, description }) => ({ coordinate, signature, description }));

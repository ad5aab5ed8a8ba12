import { type GraphQLArgument, type GraphQLSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';

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

/** Lists the types, fields and enum values of a schema, without those of introspection. */
function schemaElements(schema: GraphQLSchema): readonly (SchemaElement & { readonly argumentText: string })[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => {
      const element = (coordinate: string, signature: string, description: string | null | undefined, argumentText = '') => ({
        coordinate,
        signature,
        description: description ?? '',
        argumentText,
      });
      const members =
        isObjectType(type) || isInterfaceType(type)
          ? Object.values(type.getFields()).map((field) =>
              element(
                `${type.name}.${field.name}`,
                `${type.name}.${field.name}${argumentsText(field.args)}: ${field.type}`,
                field.description,
                argumentDescriptions(field.args),
              ),
            )
          : isInputObjectType(type)
            ? Object.values(type.getFields()).map((field) =>
                element(`${type.name}.${field.name}`, `${type.name}.${field.name}: ${field.type}`, field.description),
              )
            : isEnumType(type)
              ? type
                  .getValues()
                  .map(({ name, description }) => element(`${type.name}.${name}`, `${type.name}.${name}`, description))
              : [];
      return [element(type.name, `${kindOf(type)} ${type.name}`, type.description), ...members];
    });
}

const kindOf = (type: object): string =>
  isObjectType(type)
    ? 'type'
    : isInterfaceType(type)
      ? 'interface'
      : isInputObjectType(type)
        ? 'input'
        : isEnumType(type)
          ? 'enum'
          : 'scalar';

interface IndexedElement extends SchemaElement {
  readonly nameWords: ReadonlySet<string>;
  readonly ownerWords: ReadonlySet<string>;
  readonly textWords: ReadonlySet<string>;
  readonly isRoot: boolean;
}

/** Splits a text into words in lower case, camel case included, in the singular: `tokenBalances` is `token` and `balance`. */
export const wordsOf = (text: string): string[] =>
  (text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').match(/[A-Za-z0-9]+/g) ?? []).map((word) =>
    word.toLowerCase().replace(/(?<=[^s]{2})s$/, ''),
  );

const NAME_WEIGHT = 5;
const OWNER_WEIGHT = 2;
const TEXT_WEIGHT = 1;
/** An operation starts at a root field. */
const ROOT_WEIGHT = 0.5;

/** The types whose fields start an operation. */
export const ROOT_TYPES: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription']);

const indexes = new WeakMap<GraphQLSchema, readonly IndexedElement[]>();

function indexOf(schema: GraphQLSchema): readonly IndexedElement[] {
  const known = indexes.get(schema);
  if (known) return known;
  const index = schemaElements(schema).map(({ argumentText, ...element }) => {
    const [owner = '', member] = element.coordinate.split('.');
    return {
      ...element,
      nameWords: new Set(wordsOf(member ?? owner)),
      ownerWords: new Set(member === undefined ? [] : wordsOf(owner)),
      textWords: new Set(wordsOf(`${element.description} ${argumentText}`)),
      isRoot: member !== undefined && ROOT_TYPES.has(owner),
    };
  });
  indexes.set(schema, index);
  return index;
}

/** How rare a word is: a word that every description has says little. */
const rarityOf = (word: string, index: readonly IndexedElement[]): number => {
  const count = index.filter(
    ({ nameWords, ownerWords, textWords }) => nameWords.has(word) || ownerWords.has(word) || textWords.has(word),
  ).length;
  return count === 0 ? 0 : Math.log(1 + index.length / count);
};

/** The elements of a schema that match a text best, by the words of their names and descriptions; empty if none has such a word. */
export function searchSchema(schema: GraphQLSchema, text: string, limit: number): SchemaElement[] {
  const index = indexOf(schema);
  const rarities = new Map([...new Set(wordsOf(text))].map((word) => [word, rarityOf(word, index)]));
  const scoreOf = ({ nameWords, ownerWords, textWords, isRoot }: IndexedElement): number => {
    let score = 0;
    for (const [word, rarity] of rarities) {
      const weight = nameWords.has(word)
        ? NAME_WEIGHT + 1 / nameWords.size
        : ownerWords.has(word)
          ? OWNER_WEIGHT
          : textWords.has(word)
            ? TEXT_WEIGHT
            : 0;
      score += weight * rarity;
    }
    return score === 0 ? 0 : score + (isRoot ? ROOT_WEIGHT * score : 0);
  };
  return index
    .map((element) => ({ element, score: scoreOf(element) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.element.coordinate < b.element.coordinate ? -1 : 1))
    .slice(0, limit)
    .map(({ element: { coordinate, signature, description } }) => ({ coordinate, signature, description }));
}

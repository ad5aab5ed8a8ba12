import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { RandomChoices } from '../../support/random-choices.ts';
import type { ChainData } from './chain-data.ts';
import { chooseArguments, type FuzzValue, invalidOrMissingValue, randomValue } from './values.ts';

/** One operation as a client sends it. */
export interface FuzzOperation {
  readonly query: string;
  /** The JSON of its variables. */
  readonly variables: string;
  readonly operationName?: string;
  /** Whether it was generated without deliberate faults. */
  readonly isWellFormed: boolean;
  readonly isQuery: boolean;
}

/** Draws operations from the grammar of a schema. */
export function createOperationGenerator(schema: GraphQLSchema, world: ChainData): (draw: RandomChoices) => FuzzOperation {
  return (draw) => {
    if (draw.chance(0.01)) return { ...WHOLE_SCHEMA };
    return randomOperation(schema, world, draw);
  };
}

const WHOLE_SCHEMA: FuzzOperation = {
  query: getIntrospectionQuery(),
  variables: '{}',
  isWellFormed: true,
  isQuery: true,
};

/** Root fields most of whose random arguments are invalid. They are chosen more often. */
const isRarelyValid = ({ name }: { readonly name: string }): boolean => ['simulate', 'webhookEvents'].includes(name);

/** Maximum selection depth, and maximum nesting of lists of objects: each list multiplies the result. */
const MAX_DEPTH = 7;
const MAX_NESTED_LISTS = 2;

interface SelectionPosition {
  readonly depth: number;
  readonly lists: number;
}

function randomOperation(schema: GraphQLSchema, world: ChainData, draw: RandomChoices): FuzzOperation {
  const isWellFormed = draw.chance(0.65);
  const mutation = draw.chance(0.06);
  const root = mutation ? schema.getMutationType()! : schema.getQueryType()!;
  const declared: string[] = [];
  const variables: [string, string][] = [];
  const fragments: { name: string; type: string; text: string }[] = [];
  let left = isWellFormed ? 2 + draw.below(25) : 2 + draw.below(60);
  let names = 0;

  /** Declares a variable for a value. A careless client declares another type, or omits or changes the value. */
  function variable(type: string, value: FuzzValue): string {
    names += 1;
    const own = `v${names}`;
    const wrong = !isWellFormed && draw.chance(0.2);
    const kind = wrong && draw.chance(0.4) ? draw.pick(['Int', 'String', '[Long]', 'Bytes32!', 'Block', 'Nothing', 'ID']) : type;
    const given = wrong ? invalidOrMissingValue(draw, world) : value;
    const fallback = draw.chance(0.1) && !kind.endsWith('!') ? ` = ${value.literal}` : '';
    if (isWellFormed || draw.chance(0.97)) declared.push(`$${own}: ${kind}${fallback}`);
    if (given && !(fallback && draw.chance(0.5))) variables.push([own, given.json]);
    return `$${own}`;
  }

  function value(place: string, type: GraphQLInputType): string {
    const drawn = randomValue(draw, world, place, type, isWellFormed);
    return draw.chance(0.3) ? variable(String(type), drawn) : drawn.literal;
  }

  const argumentsOf = (place: string, args: readonly GraphQLArgument[]): string => {
    const given = chooseArguments(draw, place, args, isWellFormed).map(
      (one) => `${one.name}: ${value(`${place}.${one.name}`, one.type)}`,
    );
    if (!isWellFormed && draw.chance(0.02)) given.push('nothing: 1');
    return given.length > 0 ? `(${given.join(', ')})` : '';
  };

  function directives(): string {
    if (!draw.chance(0.08)) return '';
    if (!isWellFormed && draw.chance(0.3))
      return draw.pick([' @nothing', ' @skip', ' @include(if: 1)', ' @deprecated', ' @skip(if: true) @skip(if: true)']);
    const state = String(draw.chance(0.5));
    return ` @${draw.pick(['skip', 'include'])}(if: ${draw.chance(0.5) ? variable('Boolean!', { literal: state, json: state }) : state})`;
  }

  function field(parent: GraphQLObjectType, one: GraphQLField<unknown, unknown>, place: SelectionPosition): string {
    left -= 1;
    names += 1;
    // Fields of one name with different arguments would not merge.
    const alias = one.args.length > 0 || draw.chance(0.1) ? `a${names}: ` : '';
    const start = `${alias}${one.name}${argumentsOf(`${parent.name}.${one.name}`, one.args)}${directives()}`;
    const inner = getNamedType(one.type);
    if (!isObjectType(inner)) return !isWellFormed && draw.chance(0.01) ? `${start} { nothing }` : start;
    if (!isWellFormed && draw.chance(0.01)) return start;
    return `${start} ${selection(inner, { depth: place.depth + 1, lists: place.lists + (isManyObjects(one) ? 1 : 0) })}`;
  }

  function selection(type: GraphQLObjectType, place: SelectionPosition): string {
    const all = Object.values(type.getFields());
    const deepest = place.depth >= MAX_DEPTH || left <= 0;
    const possible = all.filter((one) => {
      if (!isObjectType(getNamedType(one.type))) return true;
      return !deepest && (!isManyObjects(one) || place.lists < MAX_NESTED_LISTS || draw.chance(0.02));
    });
    const count = place.depth === 0 ? 1 + draw.below(4) : 1 + draw.below(Math.min(6, Math.max(1, left)));
    const parts = draw.many(count, () => {
      if (draw.chance(0.05)) return '__typename';
      if (!isWellFormed && draw.chance(0.01))
        return draw.pick(['nothing', '__schema { types { name } }', '...Nothing', '__proto__']);
      if (draw.chance(0.06)) return fragment(type, place);
      const picked = possible.length > 0 ? possible : all;
      return field(
        type,
        draw.pick(place.depth === 0 ? picked.flatMap((one) => (isRarelyValid(one) ? [one, one, one] : [one])) : picked),
        place,
      );
    });
    return `{ ${parts.join(draw.pick([' ', '\n', ', ', ' # x\n']))} }`;
  }

  function fragment(type: GraphQLObjectType, place: SelectionPosition): string {
    const known = fragments.filter((one) => one.type === type.name);
    if (known.length > 0 && draw.chance(0.5)) return `...${draw.pick(known).name}`;
    if (draw.chance(0.5)) return `...${draw.pick(['', ` on ${type.name}`])}${directives()} ${selection(type, place)}`;
    names += 1;
    const own = `F${names}`;
    const on = !isWellFormed && draw.chance(0.05) ? draw.pick(['Block', 'Query', 'Long', 'Nothing']) : type.name;
    const one = { name: own, type: type.name, text: '' };
    // A careless client may spread a fragment within itself.
    if (!isWellFormed) fragments.push(one);
    one.text = `fragment ${own} on ${on} ${selection(type, place)}`;
    if (isWellFormed) fragments.push(one);
    return `...${own}${directives()}`;
  }

  const body = selection(root, { depth: 0, lists: 0 });
  const several = draw.chance(0.1);
  const named = several || draw.chance(0.3) || declared.length > 0;
  const head = `${mutation ? 'mutation' : 'query'}${named ? ' Main' : ''}${declared.length > 0 ? ` (${declared.join(', ')})` : ''} `;
  const documents = [`${mutation || named || draw.chance(0.5) ? head : ''}${body}`, ...fragments.map((one) => one.text)];
  if (several)
    documents.push(
      draw.pick(['query Other { chainID }', isWellFormed ? 'mutation Other { __typename }' : 'query Main { chainID }']),
    );
  const extra = !isWellFormed && draw.chance(0.1) ? [['extra', '{"a":[1]}'] as [string, string]] : [];
  const operationName = isWellFormed ? (several ? 'Main' : undefined) : draw.pick([undefined, 'Main', 'Main', 'Nothing', '']);
  return {
    query: documents.join('\n'),
    variables: `{${[...variables, ...extra].map(([key, json]) => `"${key}":${json}`).join(',')}}`,
    ...(operationName !== undefined && { operationName }),
    isWellFormed,
    isQuery: !mutation,
  };
}

function isManyObjects(one: GraphQLField<unknown, unknown>): boolean {
  const type = isNonNullType(one.type) ? one.type.ofType : one.type;
  return isListType(type) && isObjectType(getNamedType(type));
}

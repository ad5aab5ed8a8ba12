import {
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { RandomChoices } from '../random-choices.ts';

/** An operation with several sets of variables. */
export interface GeneratedOperation {
  readonly source: string;
  readonly variables: readonly Readonly<Record<string, unknown>>[];
}

const INTROSPECTION_FIELDS = [
  '__schema { queryType { name } directives { args { name } } }',
  '__type(name: "In") { inputFields { defaultValue type { kind } } }',
];
const MAX_DEPTH = 5;

/** Generates an operation with fragments, aliases, directives and variables; most are valid. */
export function randomExecutorOperation(schema: GraphQLSchema, draw: RandomChoices): GeneratedOperation {
  const declared: { readonly name: string; readonly text: string; readonly value: () => unknown }[] = [];
  const fragments: { readonly name: string; readonly type: GraphQLCompositeType; text: string }[] = [];
  /** Arguments of fields; equal arguments have equal aliases, so that fields with equal arguments merge. */
  const given: string[] = [];
  const all = Object.values(schema.getTypeMap()).filter(
    (type) => isCompositeType(type) && !type.name.startsWith('__'),
  ) as GraphQLCompositeType[];
  let left = 3 + draw.below(30);

  /** A variable, possibly used several times. */
  function variable(type: string, literal: string | undefined, value: () => unknown): string {
    const fallback = literal === undefined ? '' : ` = ${literal}`;
    const known = declared.filter(({ text }) => text === `${type}${fallback}`);
    if (known.length > 0 && draw.chance(0.4)) return `$${draw.pick(known).name}`;
    const name = draw.chance(0.03) ? 'constructor' : `v${declared.length}`;
    if (declared.some((one) => one.name === name)) return `$${name}`;
    declared.push({ name, text: `${type}${fallback}`, value });
    return `$${name}`;
  }

  function condition(): string {
    if (draw.chance(0.4)) return String(draw.chance(0.5));
    const value = () => draw.chance(0.5);
    if (draw.chance(0.6)) return variable('Boolean!', undefined, value);
    if (draw.chance(0.7)) return variable('Boolean!', 'true', () => (draw.chance(0.3) ? undefined : value()));
    // Validation allows null for a variable with a default.
    return variable('Boolean', 'false', () => (draw.chance(0.2) ? null : value()));
  }

  function directives(): string {
    if (!draw.chance(0.15)) return '';
    const one = ` @${draw.pick(['skip', 'include'])}(if: ${condition()})`;
    return draw.chance(0.1) ? ` @skip(if: ${condition()}) @include(if: ${condition()})` : one;
  }

  /** A value as JSON and as a literal. */
  function json(type: GraphQLInputType, depth = 0): [value: unknown, literal: string] {
    if (isNonNullType(type)) return json(type.ofType, depth);
    if (depth > 0 && draw.chance(0.1)) return [null, 'null'];
    if (isListType(type)) {
      if (draw.chance(0.2)) return json(type.ofType, depth);
      const items = draw.many(draw.below(3), () => json(type.ofType, isNonNullType(type.ofType) ? 0 : depth + 1));
      return [items.map(([value]) => value), `[${items.map(([, literal]) => literal).join(', ')}]`];
    }
    if (isEnumType(type)) {
      const { name } = draw.pick(type.getValues());
      return [name, name];
    }
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(() => draw.chance(depth > 1 ? 0.2 : 0.5));
      const parts = fields.map((field) => [field.name, json(field.type, isNonNullType(field.type) ? 0 : depth + 1)] as const);
      return [
        Object.fromEntries(parts.map(([name, [value]]) => [name, value])),
        `{${parts.map(([name, [, literal]]) => `${name}: ${literal}`).join(', ')}}`,
      ];
    }
    const value =
      type.name === 'Int'
        ? draw.below(5)
        : type.name === 'String'
          ? draw.pick(['', 'x', '"\n'])
          : draw.pick([1, 'j', true, [1, []]]);
    return [value, JSON.stringify(value)];
  }

  /** A literal, with or without variables, or a variable. */
  function argument(type: GraphQLInputType, depth = 0): string {
    if (draw.chance(0.35)) {
      const literal = draw.chance(0.3) && !isNonNullType(type) ? json(type)[1] : undefined;
      return variable(String(type), literal, () => {
        if (isNonNullType(type)) return json(type)[0];
        return draw.chance(0.2) ? undefined : draw.chance(0.15) ? null : json(type)[0];
      });
    }
    const inner = isNonNullType(type) ? type.ofType : type;
    if (isListType(inner) && draw.chance(0.5))
      return `[${draw.many(draw.below(3), () => argument(inner.ofType, depth + 1)).join(', ')}]`;
    if (isInputObjectType(inner) && depth < 2 && draw.chance(0.6)) {
      const fields = Object.values(inner.getFields()).filter(() => draw.chance(0.4));
      return `{${fields.map((field) => `${field.name}: ${argument(field.type, depth + 1)}`).join(', ')}}`;
    }
    return json(type)[1];
  }

  function field(type: GraphQLObjectType, depth: number): string {
    left -= 1;
    const fields = Object.values(type.getFields());
    const { name, args, type: output } = draw.pick(depth < MAX_DEPTH && left > 0 ? fields : leaves(fields));
    const inner = getNamedType(output);
    const start = `${aliased(name, argumentsOf(args))}${directives()}`;
    return isCompositeType(inner) ? `${start} ${selection(inner, depth + 1)}` : start;
  }

  const leaves = <T extends { type: unknown }>(fields: readonly T[]): readonly T[] => {
    const found = fields.filter((one) => !isCompositeType(getNamedType(one.type as GraphQLNamedType)));
    return found.length > 0 ? found : fields;
  };

  function argumentsOf(args: readonly GraphQLArgument[]): string {
    const parts = args.filter(() => draw.chance(0.5)).map((one) => `${one.name}: ${argument(one.type)}`);
    return parts.length > 0 ? `(${parts.join(', ')})` : '';
  }

  function aliased(name: string, args: string): string {
    if (args === '') return draw.chance(0.1) ? `${draw.pick(['also', 'of'])}_${name}: ${name}` : name;
    if (!given.includes(args)) given.push(args);
    return `${name}_${given.indexOf(args)}: ${name}${args}`;
  }

  function part(type: GraphQLCompositeType, depth: number): string {
    if (draw.chance(0.08))
      return draw.pick(['__typename', 'it: __typename', '__proto__: __typename', 'constructor: __typename']) + directives();
    if (type === schema.getQueryType() && draw.chance(0.02)) return draw.pick(INTROSPECTION_FIELDS);
    const hasFields = !isAbstractType(type) || 'getFields' in type;
    if (!hasFields || draw.chance(isObjectType(type) ? 0.12 : 0.45)) return fragment(type, depth);
    return field(type as GraphQLObjectType, depth);
  }

  function selection(type: GraphQLCompositeType, depth: number): string {
    const count = 1 + draw.below(left > 0 && depth < MAX_DEPTH ? 5 : 1);
    const parts = draw.many(count, () => (left <= -20 ? '__typename' : part(type, depth)));
    return `{ ${parts.join(' ')} }`;
  }

  function fragment(type: GraphQLCompositeType, depth: number): string {
    left -= 1;
    const possible = all.filter((one) => overlap(type, one));
    const known = fragments.filter((one) => one.text !== '' && possible.includes(one.type));
    if (known.length > 0 && draw.chance(0.4)) return `...${draw.pick(known).name}${directives()}`;
    const on = draw.pick(possible);
    if (draw.chance(0.2)) return `... ${directives()} ${selection(type, depth)}`;
    if (draw.chance(0.5)) return `... on ${on.name}${directives()} ${selection(on, depth)}`;
    const one = { name: draw.chance(0.05) ? `__proto__${fragments.length}` : `F${fragments.length}`, type: on, text: '' };
    fragments.push(one);
    one.text = `fragment ${one.name} on ${on.name} ${selection(on, depth)}`;
    return `...${one.name}${directives()}`;
  }

  const possibleTypes = (type: GraphQLCompositeType) => (isAbstractType(type) ? schema.getPossibleTypes(type) : [type]);
  const overlap = (one: GraphQLCompositeType, other: GraphQLCompositeType) =>
    possibleTypes(one).some((type) => (possibleTypes(other) as readonly unknown[]).includes(type));

  const kind = draw.chance(0.12) ? 'mutation' : 'query';
  const body = selection(kind === 'query' ? schema.getQueryType()! : schema.getMutationType()!, 0);
  const variables = declared.length > 0 ? ` (${declared.map(({ name, text }) => `$${name}: ${text}`).join(', ')})` : '';
  return {
    source: [`${kind} It${variables} ${body}`, ...fragments.map(({ text }) => text)].join('\n'),
    variables: draw.many(declared.length > 0 ? 4 : 2, () =>
      Object.fromEntries(declared.map(({ name, value }) => [name, value()] as const).filter(([, value]) => value !== undefined)),
    ),
  };
}

/** How a field resolves: a resolver with or without info, a property, or a method of its object. */
export type ResolverKind = 'info' | 'plain' | 'property' | 'method';

/** Fields not listed are properties. */
export type FieldDefinition = readonly [type: string, args?: string, way?: ResolverKind];

const NODE_FIELDS: Record<string, FieldDefinition> = {
  id: ['ID!'],
  requested: ['String'],
  self: ['Node', '', 'info'],
  peers: ['[Node!]', '(n: Int = 2, in: In)', 'method'],
};
const NAMED_FIELDS: Record<string, FieldDefinition> = { ...NODE_FIELDS, name: ['String'] };

/** Every kind of type, nullable and non-null at every position. */
export const FIELDS_BY_TYPE: Record<string, Record<string, FieldDefinition>> = {
  Query: {
    a: ['A', '(i: Int)', 'info'],
    b: ['B!', '', 'plain'],
    c: ['C', '(l: [Int!])', 'plain'],
    node: ['Node', '(i: Int = 1)', 'info'],
    named: ['Named!', '(in: In)', 'info'],
    us: ['[U]', '', 'plain'],
    grid: ['[[Named!]]', '', 'info'],
    text: ['String', '(c: Color = RED, s: String)', 'plain'],
    self: ['Query', '', 'plain'],
    surely: ['Query!', '', 'info'],
  },
  Mutation: {
    a: ['A', '(i: Int)', 'info'],
    b: ['B!', '', 'plain'],
    us: ['[U]', '', 'plain'],
    text: ['String', '(c: Color = RED, s: String)', 'plain'],
    doNothing: ['Int', '', 'plain'],
    mustDo: ['Int!', '', 'info'],
  },
  A: {
    ...NAMED_FIELDS,
    int: ['Int'],
    ints: ['[Int!]'],
    matrix: ['[[Int]!]'],
    b: ['B!'],
    u: ['U', '', 'plain'],
    all: ['[U!]!', '', 'info'],
    color: ['Color'],
    json: ['Json', '(v: Json)', 'plain'],
    echo: ['String', '(in: In, c: Color = GREEN, i: Int = 1, l: [Int!])', 'method'],
  },
  B: {
    ...NODE_FIELDS,
    float: ['Float!'],
    flag: ['Boolean!'],
    colors: ['[Color!]!'],
    as: ['[A]'],
    table: ['[[A!]!]', '', 'info'],
    c: ['C', '(l: [Int!])', 'plain'],
  },
  C: {
    ...NAMED_FIELDS,
    v: ['V!', '', 'plain'],
    vs: ['[[V]]'],
    odd: ['Odd'],
    odds: ['[Odd!]'],
    deep: ['C!', '', 'info'],
    strings: ['[String]!', '', 'plain'],
  },
};

const fieldsOf = (rows: Record<string, FieldDefinition>) =>
  Object.entries(rows).map(([name, [type, args = '']]) => `${name}${args}: ${type}`);
const block = (head: string, rows: Record<string, FieldDefinition>) => `${head} { ${fieldsOf(rows).join('\n')} }`;

export const sdl = [
  block('interface Node', NODE_FIELDS),
  block('interface Named implements Node', NAMED_FIELDS),
  block('type Query', FIELDS_BY_TYPE.Query!),
  block('type Mutation', FIELDS_BY_TYPE.Mutation!),
  block('type A implements Named & Node', FIELDS_BY_TYPE.A!),
  block('type B implements Node', FIELDS_BY_TYPE.B!),
  block('type C implements Named & Node', FIELDS_BY_TYPE.C!),
  'union U = A | B',
  'union V = B | C',
  'enum Color { RED, GREEN, BLUE }',
  'input In { i: Int = 3, sure: Int! = 7, l: [[Int]], in: In, c: Color, j: Json }',
  'scalar Odd',
  'scalar Json',
].join('\n');

/** Internal values of `Color`, in schema order. */
export const COLORS = [{ r: 255 }, 'green', 3];

import { readdirSync, readFileSync } from 'node:fs';
import { parseSync } from '@swc/core';
import { type GraphQLSchema, getOperationAST, OperationTypeNode, parse, print, type TypeNode, validate } from 'graphql';

const TESTS = new URL('../../', import.meta.url);

/** A valid query of a test, with values for its variables. */
export interface TestDocument {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Values of template expressions in documents by their text, and of variables by their type without `!`. */
export interface DocumentValues {
  readonly expressions: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Collects the queries that test files contain as string literals and that are valid for a schema. Literals with other template
 * expressions, and documents with variables of other types, are left out.
 */
export function collectTestDocuments(folders: readonly string[], schema: GraphQLSchema, values: DocumentValues): TestDocument[] {
  const texts = new Set<string>();
  for (const folder of folders) {
    const directory = new URL(`${folder}/`, TESTS);
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const source = readFileSync(new URL(name, directory), 'utf8');
      for (const text of literalsIn(parseSync(source, { syntax: 'typescript' }), values.expressions)) texts.add(text);
    }
  }
  return [...texts].flatMap((text) => toDocument(text, schema, values) ?? []);
}

function* literalsIn(node: unknown, expressions: DocumentValues['expressions']): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  const { type, value, quasis, expressions: inner } = node as Record<string, any>;
  if (type === 'StringLiteral') yield value;
  if (type === 'TemplateLiteral') {
    const parts = inner.map((expression: unknown) => expressions[nameOf(expression)]);
    if (!parts.includes(undefined)) yield quasis.map(({ cooked }: any, i: number) => cooked + (parts[i] ?? '')).join('');
  }
  for (const child of Object.values(node)) yield* literalsIn(child, expressions);
}

/** `name` or `object.property` of an expression; empty for any other. */
function nameOf({ type, value, object, property }: any): string {
  if (type === 'Identifier') return value;
  return type === 'MemberExpression' ? `${nameOf(object)}.${nameOf(property)}` : '';
}

function toDocument(text: string, schema: GraphQLSchema, { variables }: DocumentValues): TestDocument | undefined {
  if (!/^\s*(query\b|\{)/.test(text)) return undefined;
  try {
    const document = parse(text);
    const operation = getOperationAST(document);
    if (operation?.operation !== OperationTypeNode.QUERY || validate(schema, document).length > 0) return undefined;
    const given = (operation.variableDefinitions ?? []).map(({ variable, type }) => {
      const value = variables[printNullable(type)];
      if (value === undefined) throw new Error(`no value for ${print(type)}`);
      return [variable.name.value, value] as const;
    });
    return { query: text, variables: Object.fromEntries(given) };
  } catch {
    return undefined;
  }
}

const printNullable = (type: TypeNode): string => print(type).replace(/!$/, '');

import { type IExecutableSchemaDefinition, makeExecutableSchema } from '@graphql-tools/schema';
import { expect } from '@jest/globals';
import { type DocumentNode, execute, type GraphQLError, GraphQLScalarType, type GraphQLSchema, parse, validate } from 'graphql';
import { createExecutor } from '../../../src/graphql/executor/index.ts';
import { executionRequest } from './execution-request.ts';

/** The outcome of an execution: data as JSON text, and serialized errors. */
export interface ExecutionOutcome {
  readonly text: string;
  readonly errors: readonly ErrorSummary[];
}

export interface ErrorSummary {
  readonly message: string;
  readonly path: readonly (string | number)[] | undefined;
  /** `line:column` of each merged field. */
  readonly locations: string | undefined;
}

export interface ExecutionInput {
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Created once per executor. */
  readonly context?: () => unknown;
  readonly operationName?: string;
}

type Resolvers = Extract<NonNullable<IExecutableSchemaDefinition['resolvers']>, Record<string, unknown>>;

/** Creates a schema from SDL and resolvers. */
export const schemaOf = (typeDefs: string, resolvers: Resolvers = {}): GraphQLSchema =>
  makeExecutableSchema({ typeDefs, resolvers });

/** A scalar that passes every value through. */
const Any = new GraphQLScalarType({ name: 'Any' });

/** A schema with one field `it` of the given type and value. */
export const schemaOfField = (type: string, resolve: (...parameters: any[]) => unknown): GraphQLSchema =>
  schemaOf(
    `
      type Query { it: ${type}, self: Query, others: [Query!], other: Int }
      type Thing { name(of: String = "none"): String, one: Thing, sure: Int!, its: Thing!, all: [Thing!]!, some: [Thing!] }
      enum Color { RED, GREEN }
      scalar Any
    `,
    {
      Query: { it: resolve, self: () => ({}), others: () => [{}, {}], other: () => 1 },
      Color: { RED: 1, GREEN: 'grün' },
      Any,
    },
  );

/** A promise that resolves in a later turn of the event loop. */
export const resolveLater = (value: unknown): Promise<unknown> => new Promise((resolve) => setImmediate(resolve, value));

/** A promise that rejects in a later turn, or after `ms`. */
export const rejectLater = (error: unknown, ms?: number): Promise<never> =>
  new Promise((_resolve, reject) => (ms === undefined ? setImmediate(reject, error) : setTimeout(reject, ms, error)));

/** A thenable that is not a Promise. */
export const thenable = (begin: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void) =>
  // biome-ignore lint/suspicious/noThenProperty: this is what it is for
  ({ then: begin });

/** Parses a document and requires it to be valid. */
export function parseValid(schema: GraphQLSchema, source: string): DocumentNode {
  const document = parse(source);
  const [wrong] = validate(schema, document);
  if (wrong) throw new Error(`${wrong.message} in ${source}`);
  return document;
}

const summarizeErrors = (errors: readonly GraphQLError[] = []): ErrorSummary[] =>
  errors
    .map(({ message, path, locations }) => ({
      message,
      path,
      locations: locations?.map(({ line, column }) => `${line}:${column}`).join(' '),
    }))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

const executors = new WeakMap<GraphQLSchema, ReturnType<typeof createExecutor>>();

/** Executes a document with our executor, one instance per schema. */
export async function executeWithGrimoire(
  schema: GraphQLSchema,
  document: DocumentNode,
  requested: ExecutionInput = {},
): Promise<ExecutionOutcome> {
  const executor = executors.get(schema) ?? createExecutor(schema);
  executors.set(schema, executor);
  const request = executionRequest(schema, document, requested);
  if (!request) throw new Error('it cannot be run');
  const result = await executor.execute({ ...request, context: requested.context?.() });
  return { text: result.data?.toString() ?? 'null', errors: summarizeErrors(result.errors) };
}

/** Executes a document with graphql-js. */
export async function executeWithGraphqlJs(
  schema: GraphQLSchema,
  document: DocumentNode,
  requested: ExecutionInput = {},
): Promise<ExecutionOutcome> {
  const { variables, context, operationName } = requested;
  const { data, errors } = await execute({
    schema,
    document,
    operationName,
    variableValues: variables,
    contextValue: context?.(),
  });
  return { text: JSON.stringify(data), errors: summarizeErrors(errors) };
}

/** Executes with both executors, requires equal outcomes and returns ours. */
export async function executeWithBoth(
  schema: GraphQLSchema,
  source: string,
  requested: ExecutionInput = {},
): Promise<ExecutionOutcome> {
  const document = parseValid(schema, source);
  const answer = await executeWithGrimoire(schema, document, requested);
  expect(answer).toEqual(await executeWithGraphqlJs(schema, document, requested));
  return answer;
}

import { type IExecutableSchemaDefinition, makeExecutableSchema } from '@graphql-tools/schema';
import { expect } from '@jest/globals';
import {
  type DocumentNode,
  execute,
  type GraphQLError,
  GraphQLScalarType,
  type GraphQLSchema,
  getOperationAST,
  parse,
  validate,
} from 'graphql';
import { createExecutor } from '../../../src/graphql/executor/index.ts';

/** What an execution says: the data as JSON text, and the errors as they are sent. */
export interface ExecutionOutcome {
  readonly text: string;
  readonly errors: readonly ErrorSummary[];
}

export interface ErrorSummary {
  readonly message: string;
  readonly path: readonly (string | number)[] | undefined;
  /** As `line:column`, those of all fields that were merged. */
  readonly locations: string | undefined;
}

export interface ExecutionInput {
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Made anew for each of the two. */
  readonly context?: () => unknown;
  readonly operationName?: string;
}

type Resolvers = Extract<NonNullable<IExecutableSchemaDefinition['resolvers']>, Record<string, unknown>>;

/** A schema of a few lines. */
export const schemaOf = (typeDefs: string, resolvers: Resolvers = {}): GraphQLSchema =>
  makeExecutableSchema({ typeDefs, resolvers });

/** Goes out as it is, and in as well. */
const Any = new GraphQLScalarType({ name: 'Any' });

/** A schema with one field, `it`, of one type and with one value. */
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

/** A value that comes in a later turn. */
export const resolveLater = (value: unknown): Promise<unknown> => new Promise((resolve) => setImmediate(resolve, value));

/** A failure that comes in a later turn, or after some more milliseconds. */
export const rejectLater = (error: unknown, ms?: number): Promise<never> =>
  new Promise((_resolve, reject) => (ms === undefined ? setImmediate(reject, error) : setTimeout(reject, ms, error)));

/** A promise for all who ask, and yet none. */
export const thenable = (begin: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void) =>
  // biome-ignore lint/suspicious/noThenProperty: this is what it is for
  ({ then: begin });

/** A document as the program runs it: found valid before. */
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

/** Runs a document by our own executor, the same one for each schema. */
export async function executeWithGrimoire(
  schema: GraphQLSchema,
  document: DocumentNode,
  asked: ExecutionInput = {},
): Promise<ExecutionOutcome> {
  const run = executors.get(schema) ?? createExecutor(schema);
  executors.set(schema, run);
  const { variables, context, operationName } = asked;
  const operation = getOperationAST(document, operationName) ?? undefined;
  const result = await run({ document, operation, variables, context: context?.() });
  if (!result) throw new Error('it cannot be run');
  return { text: result.data?.text ?? 'null', errors: summarizeErrors(result.errors) };
}

/** Runs a document by graphql-js. */
export async function executeWithGraphqlJs(
  schema: GraphQLSchema,
  document: DocumentNode,
  asked: ExecutionInput = {},
): Promise<ExecutionOutcome> {
  const { variables, context, operationName } = asked;
  const { data, errors } = await execute({
    schema,
    document,
    operationName,
    variableValues: variables,
    contextValue: context?.(),
  });
  return { text: JSON.stringify(data), errors: summarizeErrors(errors) };
}

/** What our executor answers, which is to be exactly what graphql-js answers. */
export async function executeWithBoth(
  schema: GraphQLSchema,
  source: string,
  asked: ExecutionInput = {},
): Promise<ExecutionOutcome> {
  const document = parseValid(schema, source);
  const answer = await executeWithGrimoire(schema, document, asked);
  expect(answer).toEqual(await executeWithGraphqlJs(schema, document, asked));
  return answer;
}

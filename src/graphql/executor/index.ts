import { type DocumentNode, GraphQLError, type GraphQLSchema, locatedError, type OperationDefinitionNode } from 'graphql';
import { GraphError } from '../../lib/errors.ts';
import { memoizePerObject } from '../../lib/memoize.ts';
import type { OperationBudget } from '../../lib/operation-budget.ts';
import { fragmentsOf, hasChainArgument } from '../selection.ts';
import type { SourceStream } from '../stream.ts';
import { conditionVariables, runOfChain } from './arguments.ts';
import { OperationCompiler } from './compiler.ts';
import { type JsonChunks, JsonOutput } from './json-output.ts';
import type { ExecutionContext } from './value-writer.ts';

/** The data of a response as JSON. */
export class JsonText {
  readonly chunks: JsonChunks;
  /** Size in UTF-8. */
  readonly byteLength: number;

  constructor(chunks: JsonChunks) {
    this.chunks = chunks;
    this.byteLength = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
  }

  toString(): string {
    return this.chunks.map(String).join('');
  }

  /** The parsed data, for callers of `JSON.stringify`. */
  toJSON(): unknown {
    return JSON.parse(this.toString());
  }
}

/** An execution result whose data is already serialized. */
export interface SerializedResult {
  /** Null when an error propagated to the root. */
  readonly data: JsonText | null;
  readonly errors?: readonly GraphQLError[];
}

/** An operation to execute. */
export interface ExecutionRequest {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The declared variables, coerced to their types. */
  readonly variableValues: Readonly<Record<string, unknown>>;
  readonly context: unknown;
  /** The root value; for a subscription, the root of the event. */
  readonly root?: unknown;
  /** Ends the execution when it is exhausted; undefined for an execution without limits. */
  readonly budget?: OperationBudget | undefined;
}

/** Maximum number of cached variants of an operation: one per combination of `@skip` and `@include` values. */
const MAX_VARIANTS = 16;

const EXCLUDED_FIELD_MESSAGE = '@skip or @include exclude the only field of the subscription. Select one field.';

interface CompiledVariant {
  readonly compiler: OperationCompiler;
  readonly fields: ReturnType<OperationCompiler['rootFields']>;
  /** Whether the root fields are executed one after the other: those of a mutation, and the one of a subscription that names its chain. */
  readonly isSerial: boolean;
}

/**
 * Creates the executor of a schema. It compiles fields, constant arguments and value writers once per document and caches them as long as the
 * document. See docs/decisions/0008 for the reasons against graphql-js.
 */
export function createExecutor(schema: GraphQLSchema) {
  /** Returns a function that returns the compiled operation for some values of `@skip` and `@include`. */
  const variantsOf = memoizePerObject((operation: OperationDefinitionNode, document: DocumentNode) => {
    const fragments = fragmentsOf(document);
    const variables = conditionVariables(operation, fragments);
    const variants = new Map<string, CompiledVariant>();
    return (values: ExecutionContext['variableValues']): CompiledVariant => {
      const key = variables.map((name) => values[name]).join();
      const cached = variants.get(key);
      if (cached) return cached;
      // Pass only the condition variables, because a cached variant must not retain the other variables of a request.
      const given = variables.filter((name) => Object.hasOwn(values, name)).map((name) => [name, values[name]]);
      const compiler = new OperationCompiler({ schema, operation, fragments, variableValues: Object.fromEntries(given) });
      const fields = compiler.rootFields(schema.getRootType(operation.operation)!);
      const isOnChain = operation.operation === 'subscription' && fields.some(({ nodes }) => hasChainArgument(nodes[0]!));
      const variant = { compiler, fields, isSerial: operation.operation === 'mutation' || isOnChain };
      if (variants.size < MAX_VARIANTS) variants.set(key, variant);
      return variant;
    };
  });
  const variantOf = ({ document, operation, variableValues }: ExecutionRequest): CompiledVariant =>
    variantsOf(operation, document)(variableValues);

  const runOf = ({ context, variableValues, budget }: ExecutionRequest): ExecutionContext => ({
    context,
    variableValues,
    errors: [],
    failureCount: 0,
    argumentCache: new Map(),
    budget,
  });

  return {
    /**
     * Executes a query, a mutation, or a subscription over one event, as the GraphQL specification defines, and writes the data directly as
     * JSON text. Does not reject: failures are in the result.
     */
    async execute(request: ExecutionRequest): Promise<SerializedResult> {
      const { root, budget } = request;
      const run = runOf(request);
      try {
        const { compiler, fields, isSerial } = variantOf(request);
        const out = new JsonOutput();
        budget?.beginTurn();
        await (isSerial
          ? compiler.writeSerially(fields, root, run, out)
          : compiler.writeObject(fields, root, run, undefined, out));
        budget?.throwIfExhausted();
        const data = new JsonText(out.toChunks());
        budget?.setResponseBytes(data.byteLength);
        budget?.throwIfExhausted();
        return toSerializedResult(data, run);
      } catch (error) {
        // The error of an exhausted budget replaces the errors of the fields that it has ended.
        if (error === budget?.error) return { data: null, errors: [locatedError(error, undefined)] };
        run.errors.push(error instanceof GraphQLError ? error : locatedError(error, undefined));
        return toSerializedResult(null, run);
      }
    },

    /**
     * Resolves the source stream of a subscription's root field, and the context of its chain. Rejects with a GraphQLError that has the path of the
     * field.
     */
    async subscribe(request: ExecutionRequest): Promise<{ readonly stream: SourceStream; readonly context: unknown }> {
      const { compiler, fields } = variantOf(request);
      const [field] = fields;
      try {
        if (!field) throw new GraphError('BAD_USER_INPUT', EXCLUDED_FIELD_MESSAGE);
        const run = await runOfChain(field, runOf(request));
        return { stream: (await compiler.subscribe(field, run)) as SourceStream, context: run.context };
      } catch (error) {
        throw locatedError(error, field?.nodes ?? [], field && [field.key]);
      }
    },
  };
}

const toSerializedResult = (data: JsonText | null, { errors }: ExecutionContext): SerializedResult =>
  errors.length === 0 ? { data } : { data, errors: [...errors] };

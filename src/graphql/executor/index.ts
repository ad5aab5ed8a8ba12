import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql';
import { type CompileContext, conditionVariables, rootTypeOf } from './collect-fields.ts';
import { type ExecutionContext, OperationCompiler } from './compiler.ts';
import { type JsonChunks, joinChunks } from './json-chunks.ts';

/** The data of an answer as JSON text, ready to be sent. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** What it says, for whoever does not know that it is ready. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** An answer whose data is written already. */
export interface SerializedResult {
  /** Null when an error has reached the top. */
  readonly data: JsonText | null;
  readonly errors?: readonly GraphQLError[];
}

export interface ExecutionRequest {
  readonly document: DocumentNode;
  /** The operation that is meant, if there is one. */
  readonly operation: OperationDefinitionNode | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** The coerced variables; `variables` is coerced if they are undefined. */
  readonly variableValues?: Readonly<Record<string, unknown>> | undefined;
  readonly context: unknown;
  /** What the root fields read; of a subscription the event that it is executed over. */
  readonly root?: unknown;
}

/** An operation's variants are as many as its directives have outcomes; more than these are made anew each time. */
const MAX_VARIANTS = 16;

type RootFields = ReturnType<OperationCompiler['rootFields']>;
type CompiledVariant = { readonly compiler: OperationCompiler; readonly fields: RootFields };

interface CompiledOperation {
  readonly fragments: CompileContext['fragments'];
  /** The variables on which `@skip` and `@include` depend. */
  readonly conditionVariables: readonly string[];
  readonly variants: Map<string, CompiledVariant>;
}

/**
 * Runs queries and mutations, and subscriptions over one event, as the GraphQL specification says, and writes the answer as text at
 * once. What can be known from the document alone is found out once for each document, as long as the document itself is kept: which
 * fields, their arguments, how each value is written. Undefined for what cannot be run: no such operation, or variables that are
 * wrong, of which graphql-js tells more. Why not graphql-js for the rest: docs/decisions/0008.
 */
export function createExecutor(schema: GraphQLSchema): (execution: ExecutionRequest) => Promise<SerializedResult | undefined> {
  const known = new WeakMap<OperationDefinitionNode, CompiledOperation>();

  const prepare = (document: DocumentNode, operation: OperationDefinitionNode): CompiledOperation => {
    const before = known.get(operation);
    if (before) return before;
    const fragments = fragmentsOf(document);
    const prepared = {
      fragments,
      conditionVariables: conditionVariables(operation, fragments),
      variants: new Map<string, CompiledVariant>(),
    };
    known.set(operation, prepared);
    return prepared;
  };

  const variantOf = (
    prepared: CompiledOperation,
    operation: OperationDefinitionNode,
    variableValues: ExecutionContext['variableValues'],
  ): CompiledVariant => {
    const { fragments, conditionVariables, variants } = prepared;
    const decided = conditionVariables.map((name) => variableValues[name]).join();
    const before = variants.get(decided);
    if (before) return before;
    // No other variables: what is kept with a document must not keep what somebody once sent along with it.
    const compiler = new OperationCompiler({
      schema,
      operation,
      fragments,
      variableValues: pickVariables(conditionVariables, variableValues),
    });
    const variant = { compiler, fields: compiler.rootFields(rootTypeOf(schema, operation)!) };
    if (variants.size < MAX_VARIANTS) variants.set(decided, variant);
    return variant;
  };

  return async ({ document, operation, variables, variableValues, context, root }) => {
    if (!operation || !rootTypeOf(schema, operation)) return undefined;
    const coerced =
      variableValues ?? getVariableValues(schema, operation.variableDefinitions ?? [], variables ?? {}, { maxErrors: 1 }).coerced;
    if (!coerced) return undefined;
    const run: ExecutionContext = { context, variableValues: coerced, errors: [], argumentCache: new Map() };
    const inTurn = operation.operation === 'mutation';
    try {
      const { compiler, fields } = variantOf(prepare(document, operation), operation, coerced);
      const pieces: JsonChunks = [];
      await (inTurn
        ? executeSerially(compiler, fields, root, run, pieces)
        : compiler.writeObject(fields, root, run, undefined, pieces));
      return toSerializedResult(new JsonText(joinChunks(pieces)), run);
    } catch (error) {
      run.errors.push(error instanceof GraphQLError ? error : locatedError(error, undefined));
      return toSerializedResult(null, run);
    }
  };
}

const pickVariables = (
  names: readonly string[],
  values: ExecutionContext['variableValues'],
): ExecutionContext['variableValues'] =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name]] as const] : [])));

const toSerializedResult = (data: JsonText | null, { errors }: ExecutionContext): SerializedResult =>
  errors.length === 0 ? { data } : { data, errors: [...errors] };

/** Mutations begin when the one before has ended. */
async function executeSerially(
  compiler: OperationCompiler,
  fields: RootFields,
  root: unknown,
  run: ExecutionContext,
  out: JsonChunks,
): Promise<void> {
  out.push('{');
  for (const field of fields) {
    out.push(field.lead);
    await compiler.writeField(field, root, run, undefined, out);
  }
  out.push('}');
}

/** The fragments of a document by name. */
export const fragmentsOf = (document: DocumentNode): Record<string, FragmentDefinitionNode> =>
  Object.fromEntries(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
  );

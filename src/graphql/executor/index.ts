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
import { type Compiling, decidingVariables, rootTypeOf } from './fields.ts';
import { type Pieces, textOf } from './json-chunks.ts';
import { Compiler, type Run } from './write.ts';

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
export interface WrittenResult {
  /** Null when an error has reached the top. */
  readonly data: JsonText | null;
  readonly errors?: readonly GraphQLError[];
}

export interface Execution {
  readonly document: DocumentNode;
  /** The operation that is meant, if there is one. */
  readonly operation: OperationDefinitionNode | undefined;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly context: unknown;
  /** What the root fields read; of a subscription the event that it is executed over. */
  readonly root?: unknown;
}

/** An operation's variants are as many as its directives have outcomes; more than these are made anew each time. */
const MAX_VARIANTS = 16;

type Fields = ReturnType<Compiler['root']>;
type Variant = { readonly compiler: Compiler; readonly fields: Fields };

interface Prepared {
  readonly fragments: Compiling['fragments'];
  /** The variables on which `@skip` and `@include` depend. */
  readonly deciding: readonly string[];
  readonly variants: Map<string, Variant>;
}

/**
 * Runs queries and mutations, and subscriptions over one event, as the GraphQL specification says, and writes the answer as text at
 * once. What can be known from the document alone is found out once for each document, as long as the document itself is kept: which
 * fields, their arguments, how each value is written. Undefined for what cannot be run: no such operation, or variables that are
 * wrong, of which graphql-js tells more. Why not graphql-js for the rest: docs/decisions/0008.
 */
export function executor(schema: GraphQLSchema): (execution: Execution) => Promise<WrittenResult | undefined> {
  const known = new WeakMap<OperationDefinitionNode, Prepared>();

  const prepare = (document: DocumentNode, operation: OperationDefinitionNode): Prepared => {
    const before = known.get(operation);
    if (before) return before;
    const fragments = fragmentsOf(document);
    const prepared = { fragments, deciding: decidingVariables(operation, fragments), variants: new Map<string, Variant>() };
    known.set(operation, prepared);
    return prepared;
  };

  const variantOf = (prepared: Prepared, operation: OperationDefinitionNode, variableValues: Run['variableValues']): Variant => {
    const { fragments, deciding, variants } = prepared;
    const decided = deciding.map((name) => variableValues[name]).join();
    const before = variants.get(decided);
    if (before) return before;
    // No other variables: what is kept with a document must not keep what somebody once sent along with it.
    const compiler = new Compiler({ schema, operation, fragments, variableValues: only(deciding, variableValues) });
    const variant = { compiler, fields: compiler.root(rootTypeOf(schema, operation)!) };
    if (variants.size < MAX_VARIANTS) variants.set(decided, variant);
    return variant;
  };

  return async ({ document, operation, variables, context, root }) => {
    if (!operation || !rootTypeOf(schema, operation)) return undefined;
    const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables ?? {}, { maxErrors: 1 });
    if (!coerced) return undefined;
    const run: Run = { context, variableValues: coerced, errors: [], args: new Map() };
    const inTurn = operation.operation === 'mutation';
    try {
      const { compiler, fields } = variantOf(prepare(document, operation), operation, coerced);
      const pieces: Pieces = [];
      await (inTurn ? oneByOne(compiler, fields, root, run, pieces) : compiler.object(fields, root, run, undefined, pieces));
      return finished(new JsonText(textOf(pieces)), run);
    } catch (error) {
      run.errors.push(error instanceof GraphQLError ? error : locatedError(error, undefined));
      return finished(null, run);
    }
  };
}

const only = (names: readonly string[], values: Run['variableValues']): Run['variableValues'] =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name]] as const] : [])));

const finished = (data: JsonText | null, { errors }: Run): WrittenResult =>
  errors.length === 0 ? { data } : { data, errors: [...errors] };

/** Mutations begin when the one before has ended. */
async function oneByOne(compiler: Compiler, fields: Fields, root: unknown, run: Run, out: Pieces): Promise<void> {
  out.push('{');
  for (const field of fields) {
    out.push(field.lead);
    await compiler.field(field, root, run, undefined, out);
  }
  out.push('}');
}

/** The fragments of a document by name. */
export const fragmentsOf = (document: DocumentNode): Record<string, FragmentDefinitionNode> =>
  Object.fromEntries(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
  );

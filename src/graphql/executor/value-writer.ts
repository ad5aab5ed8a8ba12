import {
  type FieldNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  isLeafType,
  isNonNullType,
  locatedError,
} from 'graphql';
import { GraphError } from '../../lib/errors.ts';
import type { OperationBudget } from '../../lib/operation-budget.ts';
import type { JsonOutput, PendingWrite } from './json-output.ts';

/** Position of a value in the result, as a linked list from the value to the root. */
export type ResultPath = GraphQLResolveInfo['path'];

/**
 * Appends a value of one type to `out`. `path` is the path of the value, passed only for types that contain fields. Throws or rejects when
 * the value cannot be written.
 */
export type ValueWriter = (value: unknown, run: ExecutionContext, path: ResultPath | undefined, out: JsonOutput) => PendingWrite;

/** A place for values in the result, a field or the items of a list, with everything that is known before execution. */
export interface ValueSlot {
  readonly nodes: readonly FieldNode[];
  /** The object type of a field; undefined for the items of a list. */
  readonly typename: string | undefined;
  readonly write: ValueWriter;
  readonly needsPath: boolean;
  readonly isNonNull: boolean;
}

/** A field selected on one object type: all nodes with one response key. */
export interface SelectedField {
  readonly name: string;
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  readonly parent: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
}

/** A selected field with everything that is known before execution. */
export interface CompiledField extends SelectedField {
  readonly slot: ValueSlot;
  /** The response key as JSON, with the brace or the comma before it. */
  readonly lead: string;
  /** `lead` and an opening quote. */
  readonly quotedLead: string;
  /** The closing quote of the previous value, and `quotedLead`. */
  readonly leadAfterQuote: string;
  /** For a scalar whose values are strings that JSON does not escape: whether a value is written unchanged. */
  readonly isCanonical: ((value: unknown) => boolean) | undefined;
  /** Undefined for a field whose value is the property with the name of the field. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** Whether the resolver has an `info` parameter; `info` is created only for resolvers with this parameter. */
  readonly takesInfo: boolean;
  /** The arguments as written, one object for all fields of one node. `constants` is undefined when they depend on variables. */
  readonly given: { readonly constants: ArgumentValues | undefined };
}

/** Arguments of a field. Frozen, because several resolvers share the object. */
export type ArgumentValues = Readonly<Record<string, unknown>>;

/** The state of one execution of an operation. */
export interface ExecutionContext {
  readonly context: unknown;
  readonly variableValues: Readonly<Record<string, unknown>>;
  readonly errors: GraphQLError[];
  /** Number of values that have failed, including values whose error has propagated to a parent. */
  failureCount: number;
  /** The budget of the operation; undefined when it is not limited. */
  readonly budget: OperationBudget | undefined;
  /** Arguments that depend on variables: equal for all items of a list. */
  readonly argumentCache: Map<CompiledField['given'], ArgumentValues>;
}

/** A value of an abstract type with the context of its fields. */
export class ValueInContext {
  readonly value: unknown;
  readonly context: object;

  constructor(value: unknown, context: object) {
    this.value = value;
    this.context = context;
  }
}

/** The schema coordinate of a field, such as `Block.hash`. */
export const schemaCoordinate = ({ parent, name }: SelectedField): string => `${parent.name}.${name}`;

/**
 * Maximum number of errors in a response. Creating an error takes 45 us, and all errors of a response are formatted in
 * one turn of the event loop.
 */
const MAX_ERRORS = 1_000;
const TOO_MANY_ERRORS = `More than ${MAX_ERRORS} fields failed. Request fewer items, or fewer fields of each.`;

export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** Describes the values of one type in the fields of `nodes`. */
export function valueSlot(
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  typename: string | undefined,
  write: ValueWriter,
): ValueSlot {
  const isNonNull = isNonNullType(type);
  return { nodes, typename, write, needsPath: !isLeafType(isNonNull ? type.ofType : type), isNonNull };
}

/** Creates the writer of a scalar or an enum. */
export function leafWriter(type: GraphQLLeafType): ValueWriter {
  const isPlain = type.extensions.isCanonical !== undefined;
  return (value, _run, _path, out) => {
    if (value instanceof Error) throw value;
    const serialized: unknown = type.serialize(value);
    const text = isPlain ? `"${serialized}"` : JSON.stringify(serialized ?? undefined);
    if (text === undefined) throw new Error(`${type.name} cannot represent this value.`);
    out.text += text;
    return undefined;
  };
}

/** Writes a value, or the value of a promise once it resolves. An error of a nullable value is recorded, and null is written. */
export function writeValue(
  slot: ValueSlot,
  value: unknown,
  run: ExecutionContext,
  prev: ResultPath | undefined,
  key: string | number,
  out: JsonOutput,
): PendingWrite {
  const { typename } = slot;
  const start = out.length;
  try {
    const path = slot.needsPath ? { prev, key, typename } : undefined;
    // Closures are created in separate functions: V8 allocates a context for a function with closures even when it creates none.
    if (typeof value === 'object' && isPromise(value))
      return writeWhenResolved(slot, value, run, path ?? { prev, key, typename }, out);
    const pending = slot.write(value, run, path, out);
    return pending && nullOnRejection(slot, pending, run, path ?? { prev, key, typename }, start, out);
  } catch (error) {
    // The operation has ended: nothing else handles the rejection of the value.
    if (isPromise(value)) ignoreRejections([value]);
    return writeFailure(slot, error, run, { prev, key, typename }, start, out);
  }
}

/** Records the error of a nullable value, and writes null in place of the text from position `start`. */
export function writeFailure(
  slot: ValueSlot,
  error: unknown,
  run: ExecutionContext,
  path: ResultPath,
  start: number,
  out: JsonOutput,
): PendingWrite {
  recordError(slot, error, path, run);
  out.truncate(start);
  out.text += 'null';
  return undefined;
}

function writeWhenResolved(
  slot: ValueSlot,
  value: PromiseLike<unknown>,
  run: ExecutionContext,
  path: ResultPath,
  out: JsonOutput,
): Promise<unknown> {
  countText(out, run);
  const nested = out.nest();
  const fail = (error: unknown): void => {
    recordError(slot, error, path, run);
    nested.setNull();
  };
  return (value instanceof Promise ? value : Promise.resolve(value)).then((resolved) => {
    try {
      run.budget?.throwIfExhausted();
      const pending = slot.write(resolved, run, path, nested);
      countText(nested, run);
      return pending?.catch(fail);
    } catch (error) {
      return fail(error);
    }
  }, fail);
}

/** Moves the text from position `start` into a nested output, so that a rejection of `pending` can still replace it by null. */
function nullOnRejection(
  slot: ValueSlot,
  pending: Promise<unknown>,
  run: ExecutionContext,
  path: ResultPath,
  start: number,
  out: JsonOutput,
): Promise<unknown> {
  const nested = out.nestFrom(start);
  return pending.catch((error) => {
    recordError(slot, error, path, run);
    nested.setNull();
  });
}

/** Counts text to which nothing is appended any more, and which is too short to be encoded. Throws RESULT_TOO_LARGE. */
function countText({ text }: JsonOutput, { budget }: ExecutionContext): void {
  budget?.addResponseBytes(text.length);
  budget?.throwIfExhausted();
}

/**
 * Records an error of a nullable value; throws it for a non-null type, so that it propagates to the parent. Throws the error of an exhausted
 * budget, which ends the operation. Ends the operation above MAX_ERRORS.
 */
function recordError({ nodes, isNonNull }: ValueSlot, raw: unknown, path: ResultPath, run: ExecutionContext): void {
  const { budget, errors } = run;
  budget?.throwIfExhausted();
  run.failureCount += 1;
  // The values are mostly items of one list, which fails with the error of its first failed item.
  if (isNonNull && run.failureCount > MAX_ERRORS) throw raw;
  const keys: (string | number)[] = [];
  for (let at: ResultPath | undefined = path; at; at = at.prev) keys.unshift(at.key);
  const error = locatedError(raw, nodes, keys);
  if (isNonNull) throw error;
  errors.push(error);
  if (errors.length <= MAX_ERRORS) return;
  budget?.end(new GraphError('RESULT_TOO_LARGE', TOO_MANY_ERRORS, { limit: MAX_ERRORS, actual: errors.length }));
  budget?.throwIfExhausted();
}

/** Maximum depth of lists of promises. The JSON of a node, which has no promises, can be nested more deeply than the stack. */
const MAX_LIST_DEPTH = 100;

/** Handles the rejections of promises that are no longer awaited, and of the promises with which they resolve. */
export function ignoreRejections(values: unknown, depth = 0): void {
  if (!Array.isArray(values)) return;
  for (const value of values) {
    if (isPromise(value)) Promise.resolve(value).then(ignoreRejections, () => {});
    else if (depth < MAX_LIST_DEPTH) ignoreRejections(value, depth + 1);
  }
}

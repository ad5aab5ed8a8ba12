import {
  type FieldNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
} from 'graphql';
import type { OperationBudget } from '../../lib/operation-budget.ts';
import { hasVariableArgument } from './collect-fields.ts';
import type { JsonOutput, PendingWrite } from './json-output.ts';

/** Position of a value in the result, as a linked list from the value to the root. */
export type ResultPath = GraphQLResolveInfo['path'];

/** The state of one execution of an operation. */
export interface ExecutionContext {
  readonly context: unknown;
  readonly variableValues: Readonly<Record<string, unknown>>;
  readonly errors: GraphQLError[];
  /** Number of values that have failed, including those whose error has propagated to a parent. */
  failureCount: number;
  /** The budget of the operation; undefined when it is not limited. */
  readonly budget: OperationBudget | undefined;
  /** Arguments that depend on variables: equal for all items of a list. */
  readonly argumentCache: Map<CompiledField, ArgumentValues>;
}

/** Arguments of a field. Frozen, because several resolvers receive the same object. */
export type ArgumentValues = Readonly<Record<string, unknown>>;

/**
 * Appends a value of one type to `out`. `path` is the path of the value, passed only for types that contain fields. Throws or rejects when
 * the value cannot be written.
 */
export type ValueWriter = (value: unknown, run: ExecutionContext, path: ResultPath | undefined, out: JsonOutput) => PendingWrite;

/** A field selected on one object type: all nodes with the same response key. */
export interface SelectedField {
  readonly name: string;
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  readonly parent: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
}

/** A selected field with everything that is known before execution. */
export interface CompiledField extends SelectedField {
  /** The response key as JSON, with the comma before it. */
  readonly lead: string;
  /** Undefined for a field that is the property of the same name. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** Whether the resolver has an `info` parameter; `info` is created only for those. */
  readonly takesInfo: boolean;
  /** Undefined when the arguments depend on variables. */
  readonly args: ArgumentValues | undefined;
  readonly write: ValueWriter;
  readonly needsPath: boolean;
  readonly isNonNull: boolean;
}

const NO_ARGUMENTS: ArgumentValues = Object.freeze({});

/**
 * The arguments of a field that uses no variables. Undefined when it does, or when they are invalid: then each execution reports the error.
 */
export function constantArguments({ definition, nodes }: SelectedField): ArgumentValues | undefined {
  if (definition.args.length === 0) return NO_ARGUMENTS;
  if (hasVariableArgument(nodes[0]!)) return undefined;
  try {
    return Object.freeze(getArgumentValues(definition, nodes[0]!));
  } catch {
    return undefined;
  }
}

/** The arguments of a field that depend on variables, coerced once per execution. */
export function variableArguments(field: CompiledField, { argumentCache, variableValues }: ExecutionContext): ArgumentValues {
  const cached = argumentCache.get(field);
  if (cached) return cached;
  const values = Object.freeze(getArgumentValues(field.definition, field.nodes[0]!, variableValues as Record<string, unknown>));
  argumentCache.set(field, values);
  return values;
}

/** The schema coordinate of a field, such as `Block.hash`. */
export const schemaCoordinate = ({ parent, name }: SelectedField): string => `${parent.name}.${name}`;

/** The path of a field of an object at `prev`. */
export const fieldPath = ({ key, parent }: Pick<SelectedField, 'key' | 'parent'>, prev: ResultPath | undefined): ResultPath => ({
  prev,
  key,
  typename: parent.name,
});

/** The path of an item of a list. */
export const itemPath = (list: ResultPath | undefined, i: number): ResultPath => ({ prev: list, key: i, typename: undefined });

/** The path of the field that a value belongs to, which may be an item of a list. */
export function enclosingFieldPath(path: ResultPath): ResultPath {
  let current = path;
  while (typeof current.key === 'number') current = current.prev!;
  return current;
}

/** The keys of a path from the root, as errors report them. */
export function pathKeys(path: ResultPath): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let current: ResultPath | undefined = path; current; current = current.prev) keys.push(current.key);
  return keys.reverse();
}

import {
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isListType,
  isNonNullType,
  Kind,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import type { ErrorSummary, ExecutionOutcome } from './differential-execution.ts';

type Path = readonly (string | number)[];

/**
 * Returns the differences between two outcomes that the GraphQL specification does not allow. When a non-null field fails, its nearest
 * nullable ancestor is null, and an executor may cancel the other fields below that ancestor: the errors there may differ, but at least
 * one of them propagates to the ancestor. All other errors are equal.
 *
 * `executeNullable` executes the document with a schema of nullable fields, which returns every error that is possible.
 */
export function outcomeDifferences(
  schema: GraphQLSchema,
  document: DocumentNode,
  [ours, theirs]: readonly [ExecutionOutcome, ExecutionOutcome],
  executeNullable: () => Promise<ExecutionOutcome>,
): Promise<string[]> | string[] {
  if (ours.text !== theirs.text) return ['data'];
  const failures = { ours: errorLines(ours), theirs: errorLines(theirs) };
  if (String(failures.ours) === String(failures.theirs)) return [];
  return compareErrors(schema, document, ours, theirs, executeNullable);
}

const errorLines = ({ errors }: ExecutionOutcome): string[] => errors.map(errorText).sort();

const errorText = ({ message, path, locations }: ErrorSummary): string =>
  `${path?.join('.')} ${normalizedMessage(message)} ${locations}`;

/** Our executor has its own message for a value without a type. */
const normalizedMessage = (message: string): string => (NO_TYPE.test(message) ? 'no type' : message);

const NO_TYPE = /^(Abstract type "|Runtime Object type "|Cannot determine the type of a value of )/;

async function compareErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  ours: ExecutionOutcome,
  theirs: ExecutionOutcome,
  executeNullable: () => Promise<ExecutionOutcome>,
): Promise<string[]> {
  const data: unknown = JSON.parse(ours.text);
  const differences: string[] = [];
  const [ownGroups, referenceGroups] = [ours, theirs].map((outcome) => groupErrors(data, outcome)) as [ErrorGroups, ErrorGroups];
  for (const failure of new Set([...ownGroups.certain, ...referenceGroups.certain])) {
    if (!ownGroups.certain.has(failure)) differences.push(`missing error: ${failure}`);
    if (!referenceGroups.certain.has(failure)) differences.push(`unexpected error: ${failure}`);
  }
  for (const place of new Set([...ownGroups.below.keys(), ...referenceGroups.below.keys()])) {
    if (!ownGroups.below.has(place) || !referenceGroups.below.has(place)) differences.push(`null without an error: ${place}`);
  }
  const possible = new Set(errorLines(await executeNullable()));
  for (const [place, failures] of ownGroups.below) {
    differences.push(
      ...failures.filter((one) => !possible.has(errorText(one))).map((one) => `impossible error: ${errorText(one)}`),
    );
    const reasons = failures.filter(({ path }) => propagatesTo(schema, document, path!, place));
    if (reasons.length === 0) differences.push(`no error propagates to the null at ${place}`);
  }
  const paths = ours.errors.map(({ path }) => path?.join('.'));
  if (new Set(paths).size < paths.length) differences.push('two errors of one path');
  return differences;
}

interface ErrorGroups {
  /** Errors at the null position itself. */
  readonly certain: ReadonlySet<string>;
  /** Errors below a null position, by the path of that position. */
  readonly below: ReadonlyMap<string, readonly ErrorSummary[]>;
}

function groupErrors(data: unknown, { errors }: ExecutionOutcome): ErrorGroups {
  const certain = new Set<string>();
  const below = new Map<string, ErrorSummary[]>();
  for (const failure of errors) {
    const { path = [] } = failure;
    const depth = nullDepth(data, path);
    if (depth === path.length) certain.add(errorText(failure));
    else {
      const place = path.slice(0, depth).join('.');
      below.set(place, [...(below.get(place) ?? []), failure]);
    }
  }
  return { certain, below };
}

/** The length of the path prefix that is not null. */
function nullDepth(data: unknown, path: Path): number {
  let at = data;
  let depth = 0;
  for (; depth < path.length && at !== null && at !== undefined; depth++) at = (at as Record<string, unknown>)[path[depth]!];
  return depth;
}

/** Whether every position between an error and the null above it is non-null. */
const propagatesTo = (schema: GraphQLSchema, document: DocumentNode, path: Path, place: string): boolean =>
  typesAlong(schema, document, path)
    .slice(place === '' ? 0 : place.split('.').length)
    .every(isNonNullType);

/** The types along a path. Fields of one name in different types have the same nullability, or the document is invalid. */
function typesAlong(schema: GraphQLSchema, document: DocumentNode, path: Path): GraphQLOutputType[] {
  const operation = getOperationAST(document)!;
  let scopes: Scope[] = [[schema.getRootType(operation.operation)!, operation.selectionSet]];
  const types: GraphQLOutputType[] = [];
  for (const key of path) {
    if (typeof key === 'number') {
      const list = types.at(-1)!;
      const inner = isNonNullType(list) ? list.ofType : list;
      if (!isListType(inner)) throw new Error(`invalid path ${path.join('.')}`);
      types.push(inner.ofType);
    } else {
      const found = scopes.flatMap((scope) => fieldsAt(schema, document, scope, key));
      types.push(found[0]![0]);
      scopes = found.flatMap(([type, below]) => (below ? [[getNamedType(type), below] as Scope] : []));
    }
  }
  return types;
}

type Scope = readonly [type: GraphQLNamedType, selections: SelectionSetNode];
type FieldMatch = readonly [type: GraphQLOutputType, below: SelectionSetNode | undefined];

function fieldsAt(schema: GraphQLSchema, document: DocumentNode, [type, { selections }]: Scope, key: string): FieldMatch[] {
  return selections.flatMap((node): FieldMatch[] => {
    if (node.kind === Kind.FIELD) {
      if ((node.alias ?? node.name).value !== key) return [];
      const name = node.name.value;
      const definition = name === '__typename' ? TypeNameMetaFieldDef : (type as GraphQLObjectType).getFields()[name];
      return definition ? [[definition.type, node.selectionSet]] : [];
    }
    const fragment =
      node.kind === Kind.INLINE_FRAGMENT
        ? node
        : document.definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === node.name.value);
    if (fragment?.kind !== Kind.INLINE_FRAGMENT && fragment?.kind !== Kind.FRAGMENT_DEFINITION) return [];
    const on = fragment.typeCondition ? schema.getType(fragment.typeCondition.name.value)! : type;
    return fieldsAt(schema, document, [on, fragment.selectionSet], key);
  });
}

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
 * What the specification lets an executor choose: when a field that may not be null fails, what holds it is null, and whatever
 * else fails in there may be told of or not, since it may never have been begun or waited for. At least one of those that made it
 * null is told. Which are told depends on what comes first, and on when an executor looks: graphql-js goes on with the fields
 * beside a promise that fails, and drops what they tell; ours keeps what is told before the answer is complete. All that fails
 * elsewhere is told by both, and in the same words.
 *
 * `everything` answers for a schema where all may be null, where nothing is dropped: no other failure can be told of than is there.
 */
export function outcomeDifferences(
  schema: GraphQLSchema,
  document: DocumentNode,
  [ours, theirs]: readonly [ExecutionOutcome, ExecutionOutcome],
  everything: () => Promise<ExecutionOutcome>,
): Promise<string[]> | string[] {
  if (ours.text !== theirs.text) return ['data'];
  const failures = { ours: errorLines(ours), theirs: errorLines(theirs) };
  if (String(failures.ours) === String(failures.theirs)) return [];
  return compareErrors(schema, document, ours, theirs, everything);
}

const errorLines = ({ errors }: ExecutionOutcome): string[] => errors.map(errorText).sort();

const errorText = ({ message, path, locations }: ErrorSummary): string =>
  `${path?.join('.')} ${normalizedMessage(message)} ${locations}`;

/** Our executor words the error of a value without a type itself. */
const normalizedMessage = (message: string): string => (NO_TYPE.test(message) ? 'no type' : message);

const NO_TYPE = /^(Abstract type "|Runtime Object type "|Cannot determine the type of a value of )/;

async function compareErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  ours: ExecutionOutcome,
  theirs: ExecutionOutcome,
  everything: () => Promise<ExecutionOutcome>,
): Promise<string[]> {
  const data: unknown = JSON.parse(ours.text);
  const wrong: string[] = [];
  const [mine, yours] = [ours, theirs].map((answer) => groupErrors(data, answer)) as [ErrorGroups, ErrorGroups];
  for (const failure of new Set([...mine.certain, ...yours.certain])) {
    if (!mine.certain.has(failure)) wrong.push(`not told: ${failure}`);
    if (!yours.certain.has(failure)) wrong.push(`not so: ${failure}`);
  }
  for (const place of new Set([...mine.below.keys(), ...yours.below.keys()])) {
    if (!mine.below.has(place) || !yours.below.has(place)) wrong.push(`null without a reason: ${place}`);
  }
  const possible = new Set(errorLines(await everything()));
  for (const [place, failures] of mine.below) {
    wrong.push(...failures.filter((one) => !possible.has(errorText(one))).map((one) => `cannot be: ${errorText(one)}`));
    const reasons = failures.filter(({ path }) => propagatesTo(schema, document, path!, place));
    if (reasons.length === 0) wrong.push(`no reason among what is told: ${place}`);
  }
  const paths = ours.errors.map(({ path }) => path?.join('.'));
  if (new Set(paths).size < paths.length) wrong.push('told twice');
  return wrong;
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
      if (!isListType(inner)) throw new Error(`${path.join('.')} is no path`);
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

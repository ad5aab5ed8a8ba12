import {
  defaultTypeResolver,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getArgumentValues,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  locatedError,
  TypeNameMetaFieldDef,
} from 'graphql';
import { staticSelections } from '../selection.ts';
import {
  type CompileContext,
  collectRootFields,
  collectSubfields,
  createVariableDetector,
  fieldDefinitionOf,
  hasVariableArgument,
} from './collect-fields.ts';
import type { JsonChunks, PendingWrite, Placeholder } from './json-chunks.ts';

/** One run of an operation. */
export interface ExecutionContext {
  readonly context: unknown;
  readonly variableValues: Readonly<Record<string, unknown>>;
  readonly errors: GraphQLError[];
  /** Arguments that variables decide: the same for all items of a list. */
  readonly argumentCache: Map<CompiledField, ArgumentValues>;
}

/** Frozen, since others are given the same. */
type ArgumentValues = Readonly<Record<string, unknown>>;
type Path = GraphQLResolveInfo['path'];

/**
 * Writes a value of one type behind what is written already; `path` is the value's own, given where errors can come from below.
 * Throws, or rejects, when there is no writing it.
 */
type ValueWriter = (value: unknown, run: ExecutionContext, path: Path | undefined, out: JsonChunks) => PendingWrite;

/** One field of one place in an operation. */
interface SelectedField {
  readonly name: string;
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  readonly parent: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
}

/** A place with all that can be known of it before it runs. */
export interface CompiledField extends SelectedField {
  /** The key as it is written, with the comma before it. */
  readonly lead: string;
  /** None: the property of the same name. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** Whether the resolver looks at `info`, which is made for those alone. */
  readonly takesInfo: boolean;
  /** Undefined when variables decide them. */
  readonly args: ArgumentValues | undefined;
  readonly write: ValueWriter;
  readonly needsPath: boolean;
  readonly isNonNull: boolean;
}

const NULL = 'null';
const NO_ARGUMENTS: ArgumentValues = Object.freeze({});

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

const isNullish = (value: unknown): boolean => value === null || value === undefined;

/** Makes the writers of one operation whose directives are decided. What lies below a field is compiled when it is first met. */
export class OperationCompiler {
  readonly #context: CompileContext;
  readonly #usesVariables: (node: FieldNode) => boolean;

  constructor(compiling: CompileContext) {
    this.#context = compiling;
    this.#usesVariables = createVariableDetector(compiling.fragments);
  }

  /** The root fields of the operation, in order. */
  rootFields(type: GraphQLObjectType): readonly CompiledField[] {
    return this.#compileFields(type, collectRootFields(type, this.#context));
  }

  /** Writes an object: its fields side by side, in the order of the selection. */
  writeObject(
    fields: readonly CompiledField[],
    source: unknown,
    run: ExecutionContext,
    path: Path | undefined,
    out: JsonChunks,
  ): PendingWrite {
    let late: Promise<unknown>[] | undefined;
    out.push('{');
    try {
      for (let i = 0; i < fields.length; i++) {
        out.push(fields[i]!.lead);
        late = addPendingWrite(late, this.writeField(fields[i]!, source, run, path, out));
      }
    } catch (error) {
      ignoreRejections(late);
      throw error;
    }
    out.push('}');
    return late && Promise.all(late);
  }

  // The way of nearly all values; closures for the others are made elsewhere, since a function pays for those that it does not make.
  /** Writes the value of one field; its failure ends here when the field may be null. */
  writeField(
    field: CompiledField,
    source: unknown,
    run: ExecutionContext,
    parent: Path | undefined,
    out: JsonChunks,
  ): PendingWrite {
    const before = out.length;
    try {
      const value = this.#resolveValue(field, source, run, parent);
      const path = field.needsPath ? fieldPath(field, parent) : undefined;
      if (typeof value === 'object' && isPromise(value)) {
        return writeWhenResolved(value, field.write, run, path ?? fieldPath(field, parent), out, field, field.isNonNull);
      }
      const late = field.write(value, run, path, out);
      return late && nullOnRejection(late, before, out, field, fieldPath(field, parent), field.isNonNull, run);
    } catch (error) {
      recordError(error, field.nodes, fieldPath(field, parent), field.isNonNull, run);
      replaceWithNull(out, before);
      return undefined;
    }
  }

  #resolveValue(field: CompiledField, source: unknown, run: ExecutionContext, parent: Path | undefined): unknown {
    const { resolve, takesInfo } = field;
    if (resolve) {
      const info = takesInfo ? this.#resolveInfo(field, run, fieldPath(field, parent)) : (undefined as never);
      return resolve(source, field.args ?? argumentsOf(field, run), run.context, info);
    }
    if ((typeof source !== 'object' && typeof source !== 'function') || source === null) return undefined;
    const value = (source as Record<string, unknown>)[field.name];
    if (typeof value !== 'function') return value;
    return value.call(
      source,
      field.args ?? argumentsOf(field, run),
      run.context,
      this.#resolveInfo(field, run, fieldPath(field, parent)),
    );
  }

  #compileFields(type: GraphQLObjectType, selected: ReadonlyMap<string, readonly FieldNode[]>): readonly CompiledField[] {
    const fields: CompiledField[] = [];
    for (const [key, nodes] of selected) {
      const name = nodes[0]!.name.value;
      const definition = fieldDefinitionOf(this.#context.schema, type, name);
      // The specification leaves out what the schema does not have; validation has refused it before.
      if (!definition) continue;
      const lead = `${fields.length === 0 ? '' : ','}"${key}":`;
      fields.push({ ...this.#compileField({ name, key, nodes, parent: type, definition }), lead });
    }
    return fields;
  }

  #compileField(place: SelectedField): Omit<CompiledField, 'lead'> {
    const { nodes, definition, parent } = place;
    const { type } = definition;
    const resolve = definition === TypeNameMetaFieldDef ? (_object: unknown) => parent.name : definition.resolve;
    if (!nodes.some(this.#usesVariables)) staticSelections.set(nodes, this.#context.variableValues);
    return {
      ...place,
      resolve,
      // Who declares no parameters may still read them all.
      takesInfo: !!resolve && (resolve.length === 0 || resolve.length > 3),
      args: definition.args.length === 0 ? NO_ARGUMENTS : constantArguments(place),
      write: this.#valueWriter(type, place),
      needsPath: !isLeafType(isNonNullType(type) ? type.ofType : type),
      isNonNull: isNonNullType(type),
    };
  }

  #valueWriter(type: GraphQLOutputType, place: SelectedField): ValueWriter {
    if (isNonNullType(type)) {
      const write = this.#valueWriter(type.ofType, place);
      return (value, run, path, out) => {
        if (isNullish(value)) throw new Error(`Cannot return null for non-nullable field ${schemaCoordinate(place)}.`);
        return write(value, run, path, out);
      };
    }
    const write = this.#nullableWriter(type, place);
    return (value, run, path, out) => {
      if (isNullish(value)) out.push(NULL);
      else return write(value, run, path, out);
      return undefined;
    };
  }

  #nullableWriter(
    type: Exclude<GraphQLOutputType, { ofType: GraphQLOutputType } & { [Symbol.toStringTag]: 'GraphQLNonNull' }>,
    place: SelectedField,
  ): ValueWriter {
    if (isListType(type)) return this.#listWriter(type.ofType, place);
    if (isLeafType(type)) return leafWriter(type);
    if (isAbstractType(type)) return this.#abstractWriter(type, place);
    return this.#objectWriter(type as GraphQLObjectType, place);
  }

  #objectWriter(type: GraphQLObjectType, { nodes }: SelectedField): ValueWriter {
    let fields: readonly CompiledField[] | undefined;
    return (value, run, path, out) => {
      if (value instanceof Error) throw value;
      fields ??= this.#compileFields(type, collectSubfields(type, nodes, this.#context));
      return this.writeObject(fields, value, run, path, out);
    };
  }

  #abstractWriter(type: GraphQLAbstractType, place: SelectedField): ValueWriter {
    const { schema } = this.#context;
    const writers = new Map<string, ValueWriter>();
    const writerFor = (name: unknown): ValueWriter => {
      const actual = typeof name === 'string' ? schema.getType(name) : undefined;
      if (!isObjectType(actual) || !schema.isSubType(type, actual)) {
        throw new Error(`A value of ${schemaCoordinate(place)} is of no type that ${type.name} can be.`);
      }
      const write = writers.get(actual.name) ?? this.#objectWriter(actual, place);
      writers.set(actual.name, write);
      return write;
    };
    return (value, run, path, out) => {
      if (value instanceof Error) throw value;
      const info = this.#resolveInfo(place, run, enclosingFieldPath(path!));
      const name = (type.resolveType ?? defaultTypeResolver)(value, run.context, info, type);
      if (!isPromise(name)) return writerFor(name)(value, run, path, out);
      const slot: Placeholder = { chunks: [] };
      out.push(slot);
      return Promise.resolve(name).then((known) => writerFor(known)(value, run, path, slot.chunks));
    };
  }

  #listWriter(type: GraphQLOutputType, place: SelectedField): ValueWriter {
    const write = this.#valueWriter(type, place);
    const isNonNull = isNonNullType(type);
    const hasBelow = !isLeafType(isNonNull ? type.ofType : type);
    const item = (value: unknown, run: ExecutionContext, list: Path | undefined, i: number, out: JsonChunks): PendingWrite => {
      const before = out.length;
      try {
        const path = hasBelow ? itemPath(list, i) : undefined;
        if (typeof value === 'object' && isPromise(value)) {
          return writeWhenResolved(value, write, run, path ?? itemPath(list, i), out, place, isNonNull);
        }
        const late = write(value, run, path, out);
        return late && nullOnRejection(late, before, out, place, itemPath(list, i), isNonNull, run);
      } catch (error) {
        recordError(error, place.nodes, itemPath(list, i), isNonNull, run);
        replaceWithNull(out, before);
        return undefined;
      }
    };
    return (value, run, path, out) => {
      if (value instanceof Error) throw value;
      const items: readonly unknown[] | undefined = Array.isArray(value) ? value : iterableItems(value);
      if (!items) throw new Error(`Expected Iterable, but did not find one for field "${schemaCoordinate(place)}".`);
      let late: Promise<unknown>[] | undefined;
      try {
        for (let i = 0; i < items.length; i++) {
          out.push(i === 0 ? '[' : ',');
          late = addPendingWrite(late, item(items[i], run, path, i, out));
        }
      } catch (error) {
        ignoreRejections(late);
        ignoreRejections(items);
        throw error;
      }
      out.push(items.length === 0 ? '[]' : ']');
      return late && Promise.all(late);
    };
  }

  #resolveInfo(
    { name, nodes, parent, definition }: SelectedField,
    { variableValues }: ExecutionContext,
    path: Path,
  ): GraphQLResolveInfo {
    const { schema, fragments, operation } = this.#context;
    return {
      fieldName: name,
      fieldNodes: nodes,
      returnType: definition.type,
      parentType: parent,
      path,
      schema,
      fragments,
      rootValue: undefined,
      operation,
      variableValues: variableValues as Record<string, unknown>,
    };
  }
}

const schemaCoordinate = ({ parent, name }: SelectedField): string => `${parent.name}.${name}`;

const itemPath = (list: Path | undefined, i: number): Path => ({ prev: list, key: i, typename: undefined });

/** Where the field is that a value belongs to, which may be in a list. */
function enclosingFieldPath(path: Path): Path {
  let at = path;
  while (typeof at.key === 'number') at = at.prev!;
  return at;
}

const fieldPath = ({ key, parent }: SelectedField, prev: Path | undefined): Path => ({ prev, key, typename: parent.name });

function leafWriter(type: GraphQLLeafType): ValueWriter {
  const isPlain = type.extensions.plain === true;
  return (value, _run, _path, out) => {
    if (value instanceof Error) throw value;
    const serialized = type.serialize(value);
    if (isPlain) {
      out.push(`"${serialized}"`);
      return undefined;
    }
    const text = isNullish(serialized) ? undefined : JSON.stringify(serialized);
    if (text === undefined) throw new Error(`${type.name} cannot represent this value.`);
    out.push(text);
    return undefined;
  };
}

/** Arguments that no variable decides; undefined when one does, or when they are wrong and each run has to say so. */
function constantArguments({ definition, nodes }: SelectedField): ArgumentValues | undefined {
  if (hasVariableArgument(nodes[0]!)) return undefined;
  try {
    return Object.freeze(getArgumentValues(definition, nodes[0]!));
  } catch {
    return undefined;
  }
}

function argumentsOf(field: CompiledField, { argumentCache, variableValues }: ExecutionContext): ArgumentValues {
  const known = argumentCache.get(field);
  if (known) return known;
  const values = Object.freeze(getArgumentValues(field.definition, field.nodes[0]!, variableValues as Record<string, unknown>));
  argumentCache.set(field, values);
  return values;
}

/** Writes what a promise brings, as soon as it is there, where it belongs, or null if that fails and may be null. */
function writeWhenResolved(
  value: PromiseLike<unknown>,
  write: ValueWriter,
  run: ExecutionContext,
  path: Path,
  out: JsonChunks,
  { nodes }: SelectedField,
  isNonNull: boolean,
): Promise<unknown> {
  const slot: Placeholder = { chunks: [] };
  out.push(slot);
  const fail = (error: unknown): void => {
    recordError(error, nodes, path, isNonNull, run);
    slot.chunks = [NULL];
  };
  return (value instanceof Promise ? value : Promise.resolve(value)).then((known) => {
    try {
      return write(known, run, path, slot.chunks)?.catch(fail);
    } catch (error) {
      return fail(error);
    }
  }, fail);
}

/** Puts null in the place of what was written since, and goes on being written, when that fails. */
function nullOnRejection(
  late: Promise<unknown>,
  since: number,
  out: JsonChunks,
  { nodes }: SelectedField,
  path: Path,
  isNonNull: boolean,
  run: ExecutionContext,
): Promise<unknown> {
  const slot = { chunks: out.splice(since) };
  out.push(slot);
  return late.catch((error) => {
    recordError(error, nodes, path, isNonNull, run);
    slot.chunks = [NULL];
  });
}

/** Takes back what was written since, and writes null in its place. */
function replaceWithNull(out: JsonChunks, since: number): void {
  out.length = since;
  out.push(NULL);
}

/** Notes an error; where null is not allowed, it goes on to whatever holds this. */
function recordError(raw: unknown, nodes: readonly FieldNode[], path: Path, isNonNull: boolean, run: ExecutionContext): void {
  const error = locatedError(raw, nodes, pathKeys(path));
  if (isNonNull) throw error;
  run.errors.push(error);
}

function pathKeys(path: Path): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at: Path | undefined = path; at; at = at.prev) keys.push(at.key);
  return keys.reverse();
}

/** What is still being written, of several; nothing is kept for the many that are written at once. */
function addPendingWrite(known: Promise<unknown>[] | undefined, late: PendingWrite): Promise<unknown>[] | undefined {
  if (!late) return known;
  if (!known) return [late];
  known.push(late);
  return known;
}

/** Nobody waits for these any more; what is among them, or comes of them, may fail without anybody hearing of it. */
function ignoreRejections(values: unknown): void {
  if (!Array.isArray(values)) return;
  for (const value of values) {
    if (isPromise(value)) Promise.resolve(value).then(ignoreRejections, () => {});
    else ignoreRejections(value);
  }
}

/** What an iterable object holds; undefined for anything else. */
function iterableItems(value: unknown): unknown[] | undefined {
  if (typeof (value as Partial<Iterable<unknown>>)[Symbol.iterator] !== 'function' || typeof value !== 'object') return undefined;
  const items: unknown[] = [];
  try {
    for (const item of value as Iterable<unknown>) items.push(item);
  } catch (error) {
    ignoreRejections(items);
    throw error;
  }
  return items;
}

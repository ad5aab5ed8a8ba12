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
import { lasting } from '../selection.ts';
import { type Compiling, fieldNamed, fieldsOf, rootFieldsOf, takesVariable, variableFinder } from './fields.ts';
import type { Late, Pieces, Slot } from './json-chunks.ts';

/** One run of an operation. */
export interface Run {
  readonly context: unknown;
  readonly variableValues: Readonly<Record<string, unknown>>;
  readonly errors: GraphQLError[];
  /** Arguments that variables decide: the same for all items of a list. */
  readonly args: Map<Field, Args>;
}

/** Frozen, since others are given the same. */
type Args = Readonly<Record<string, unknown>>;
type Path = GraphQLResolveInfo['path'];

/**
 * Writes a value of one type behind what is written already; `path` is the value's own, given where errors can come from below.
 * Throws, or rejects, when there is no writing it.
 */
type Write = (value: unknown, run: Run, path: Path | undefined, out: Pieces) => Late;

/** One field of one place in an operation. */
interface Place {
  readonly name: string;
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  readonly parent: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
}

/** A place with all that can be known of it before it runs. */
export interface Field extends Place {
  /** The key as it is written, with the comma before it. */
  readonly lead: string;
  /** None: the property of the same name. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** Whether the resolver looks at `info`, which is made for those alone. */
  readonly takesInfo: boolean;
  /** Undefined when variables decide them. */
  readonly args: Args | undefined;
  readonly write: Write;
  readonly hasBelow: boolean;
  readonly isNonNull: boolean;
}

const NULL = 'null';
const NONE: Args = Object.freeze({});

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

const isMissing = (value: unknown): boolean => value === null || value === undefined;

/** Makes the writers of one operation whose directives are decided. What lies below a field is compiled when it is first met. */
export class Compiler {
  readonly #compiling: Compiling;
  readonly #varies: (node: FieldNode) => boolean;

  constructor(compiling: Compiling) {
    this.#compiling = compiling;
    this.#varies = variableFinder(compiling.fragments);
  }

  /** The root fields of the operation, in order. */
  root(type: GraphQLObjectType): readonly Field[] {
    return this.#fields(type, rootFieldsOf(type, this.#compiling));
  }

  /** Writes an object: its fields side by side, in the order of the selection. */
  object(fields: readonly Field[], source: unknown, run: Run, path: Path | undefined, out: Pieces): Late {
    let late: Promise<unknown>[] | undefined;
    out.push('{');
    try {
      for (let i = 0; i < fields.length; i++) {
        out.push(fields[i]!.lead);
        late = withLate(late, this.field(fields[i]!, source, run, path, out));
      }
    } catch (error) {
      abandon(late);
      throw error;
    }
    out.push('}');
    return late && Promise.all(late);
  }

  // The way of nearly all values; closures for the others are made elsewhere, since a function pays for those that it does not make.
  /** Writes the value of one field; its failure ends here when the field may be null. */
  field(field: Field, source: unknown, run: Run, parent: Path | undefined, out: Pieces): Late {
    const before = out.length;
    try {
      const value = this.#resolve(field, source, run, parent);
      const path = field.hasBelow ? pathOf(field, parent) : undefined;
      if (typeof value === 'object' && isPromise(value)) {
        return later(value, field.write, run, path ?? pathOf(field, parent), out, field, field.isNonNull);
      }
      const late = field.write(value, run, path, out);
      return late && orNull(late, before, out, field, pathOf(field, parent), field.isNonNull, run);
    } catch (error) {
      report(error, field.nodes, pathOf(field, parent), field.isNonNull, run);
      writeNull(out, before);
      return undefined;
    }
  }

  #resolve(field: Field, source: unknown, run: Run, parent: Path | undefined): unknown {
    const { resolve, takesInfo } = field;
    if (resolve) {
      const info = takesInfo ? this.#info(field, run, pathOf(field, parent)) : (undefined as never);
      return resolve(source, field.args ?? argumentsOf(field, run), run.context, info);
    }
    if ((typeof source !== 'object' && typeof source !== 'function') || source === null) return undefined;
    const value = (source as Record<string, unknown>)[field.name];
    if (typeof value !== 'function') return value;
    return value.call(source, field.args ?? argumentsOf(field, run), run.context, this.#info(field, run, pathOf(field, parent)));
  }

  #fields(type: GraphQLObjectType, selected: ReadonlyMap<string, readonly FieldNode[]>): readonly Field[] {
    const fields: Field[] = [];
    for (const [key, nodes] of selected) {
      const name = nodes[0]!.name.value;
      const definition = fieldNamed(this.#compiling.schema, type, name);
      // The specification leaves out what the schema does not have; validation has refused it before.
      if (!definition) continue;
      const lead = `${fields.length === 0 ? '' : ','}"${key}":`;
      fields.push({ ...this.#field({ name, key, nodes, parent: type, definition }), lead });
    }
    return fields;
  }

  #field(place: Place): Omit<Field, 'lead'> {
    const { nodes, definition, parent } = place;
    const { type } = definition;
    const resolve = definition === TypeNameMetaFieldDef ? (_object: unknown) => parent.name : definition.resolve;
    if (!nodes.some(this.#varies)) lasting.set(nodes, this.#compiling.variableValues);
    return {
      ...place,
      resolve,
      // Who declares no parameters may still read them all.
      takesInfo: !!resolve && (resolve.length === 0 || resolve.length > 3),
      args: definition.args.length === 0 ? NONE : constantArguments(place),
      write: this.#writer(type, place),
      hasBelow: !isLeafType(isNonNullType(type) ? type.ofType : type),
      isNonNull: isNonNullType(type),
    };
  }

  #writer(type: GraphQLOutputType, place: Place): Write {
    if (isNonNullType(type)) {
      const write = this.#writer(type.ofType, place);
      return (value, run, path, out) => {
        if (isMissing(value)) throw new Error(`Cannot return null for non-nullable field ${labelOf(place)}.`);
        return write(value, run, path, out);
      };
    }
    const write = this.#nullableWriter(type, place);
    return (value, run, path, out) => {
      if (isMissing(value)) out.push(NULL);
      else return write(value, run, path, out);
      return undefined;
    };
  }

  #nullableWriter(
    type: Exclude<GraphQLOutputType, { ofType: GraphQLOutputType } & { [Symbol.toStringTag]: 'GraphQLNonNull' }>,
    place: Place,
  ): Write {
    if (isListType(type)) return this.#list(type.ofType, place);
    if (isLeafType(type)) return leaf(type);
    if (isAbstractType(type)) return this.#abstract(type, place);
    return this.#object(type as GraphQLObjectType, place);
  }

  #object(type: GraphQLObjectType, { nodes }: Place): Write {
    let fields: readonly Field[] | undefined;
    return (value, run, path, out) => {
      if (value instanceof Error) throw value;
      fields ??= this.#fields(type, fieldsOf(type, nodes, this.#compiling));
      return this.object(fields, value, run, path, out);
    };
  }

  #abstract(type: GraphQLAbstractType, place: Place): Write {
    const { schema } = this.#compiling;
    const writers = new Map<string, Write>();
    const writerFor = (name: unknown): Write => {
      const actual = typeof name === 'string' ? schema.getType(name) : undefined;
      if (!isObjectType(actual) || !schema.isSubType(type, actual)) {
        throw new Error(`A value of ${labelOf(place)} is of no type that ${type.name} can be.`);
      }
      const write = writers.get(actual.name) ?? this.#object(actual, place);
      writers.set(actual.name, write);
      return write;
    };
    return (value, run, path, out) => {
      if (value instanceof Error) throw value;
      const info = this.#info(place, run, fieldOf(path!));
      const name = (type.resolveType ?? defaultTypeResolver)(value, run.context, info, type);
      if (!isPromise(name)) return writerFor(name)(value, run, path, out);
      const slot: Slot = { pieces: [] };
      out.push(slot);
      return Promise.resolve(name).then((known) => writerFor(known)(value, run, path, slot.pieces));
    };
  }

  #list(type: GraphQLOutputType, place: Place): Write {
    const write = this.#writer(type, place);
    const isNonNull = isNonNullType(type);
    const hasBelow = !isLeafType(isNonNull ? type.ofType : type);
    const item = (value: unknown, run: Run, list: Path | undefined, i: number, out: Pieces): Late => {
      const before = out.length;
      try {
        const path = hasBelow ? itemOf(list, i) : undefined;
        if (typeof value === 'object' && isPromise(value)) {
          return later(value, write, run, path ?? itemOf(list, i), out, place, isNonNull);
        }
        const late = write(value, run, path, out);
        return late && orNull(late, before, out, place, itemOf(list, i), isNonNull, run);
      } catch (error) {
        report(error, place.nodes, itemOf(list, i), isNonNull, run);
        writeNull(out, before);
        return undefined;
      }
    };
    return (value, run, path, out) => {
      if (value instanceof Error) throw value;
      const items: readonly unknown[] | undefined = Array.isArray(value) ? value : itemsOf(value);
      if (!items) throw new Error(`Expected Iterable, but did not find one for field "${labelOf(place)}".`);
      let late: Promise<unknown>[] | undefined;
      try {
        for (let i = 0; i < items.length; i++) {
          out.push(i === 0 ? '[' : ',');
          late = withLate(late, item(items[i], run, path, i, out));
        }
      } catch (error) {
        abandon(late);
        abandon(items);
        throw error;
      }
      out.push(items.length === 0 ? '[]' : ']');
      return late && Promise.all(late);
    };
  }

  #info({ name, nodes, parent, definition }: Place, { variableValues }: Run, path: Path): GraphQLResolveInfo {
    const { schema, fragments, operation } = this.#compiling;
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

const labelOf = ({ parent, name }: Place): string => `${parent.name}.${name}`;

const itemOf = (list: Path | undefined, i: number): Path => ({ prev: list, key: i, typename: undefined });

/** Where the field is that a value belongs to, which may be in a list. */
function fieldOf(path: Path): Path {
  let at = path;
  while (typeof at.key === 'number') at = at.prev!;
  return at;
}

const pathOf = ({ key, parent }: Place, prev: Path | undefined): Path => ({ prev, key, typename: parent.name });

function leaf(type: GraphQLLeafType): Write {
  const isPlain = type.extensions.plain === true;
  return (value, _run, _path, out) => {
    if (value instanceof Error) throw value;
    const serialized = type.serialize(value);
    if (isPlain) {
      out.push(`"${serialized}"`);
      return undefined;
    }
    const text = isMissing(serialized) ? undefined : JSON.stringify(serialized);
    if (text === undefined) throw new Error(`${type.name} cannot represent this value.`);
    out.push(text);
    return undefined;
  };
}

/** Arguments that no variable decides; undefined when one does, or when they are wrong and each run has to say so. */
function constantArguments({ definition, nodes }: Place): Args | undefined {
  if (takesVariable(nodes[0]!)) return undefined;
  try {
    return Object.freeze(getArgumentValues(definition, nodes[0]!));
  } catch {
    return undefined;
  }
}

function argumentsOf(field: Field, { args, variableValues }: Run): Args {
  const known = args.get(field);
  if (known) return known;
  const values = Object.freeze(getArgumentValues(field.definition, field.nodes[0]!, variableValues as Record<string, unknown>));
  args.set(field, values);
  return values;
}

/** Writes what a promise brings, as soon as it is there, where it belongs, or null if that fails and may be null. */
function later(
  value: PromiseLike<unknown>,
  write: Write,
  run: Run,
  path: Path,
  out: Pieces,
  { nodes }: Place,
  isNonNull: boolean,
): Promise<unknown> {
  const slot: Slot = { pieces: [] };
  out.push(slot);
  const fail = (error: unknown): void => {
    report(error, nodes, path, isNonNull, run);
    slot.pieces = [NULL];
  };
  return (value instanceof Promise ? value : Promise.resolve(value)).then((known) => {
    try {
      return write(known, run, path, slot.pieces)?.catch(fail);
    } catch (error) {
      return fail(error);
    }
  }, fail);
}

/** Puts null in the place of what was written since, and goes on being written, when that fails. */
function orNull(
  late: Promise<unknown>,
  since: number,
  out: Pieces,
  { nodes }: Place,
  path: Path,
  isNonNull: boolean,
  run: Run,
): Promise<unknown> {
  const slot = { pieces: out.splice(since) };
  out.push(slot);
  return late.catch((error) => {
    report(error, nodes, path, isNonNull, run);
    slot.pieces = [NULL];
  });
}

/** Takes back what was written since, and writes null in its place. */
function writeNull(out: Pieces, since: number): void {
  out.length = since;
  out.push(NULL);
}

/** Notes an error; where null is not allowed, it goes on to whatever holds this. */
function report(raw: unknown, nodes: readonly FieldNode[], path: Path, isNonNull: boolean, run: Run): void {
  const error = locatedError(raw, nodes, keysOf(path));
  if (isNonNull) throw error;
  run.errors.push(error);
}

function keysOf(path: Path): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at: Path | undefined = path; at; at = at.prev) keys.push(at.key);
  return keys.reverse();
}

/** What is still being written, of several; nothing is kept for the many that are written at once. */
function withLate(known: Promise<unknown>[] | undefined, late: Late): Promise<unknown>[] | undefined {
  if (!late) return known;
  if (!known) return [late];
  known.push(late);
  return known;
}

/** Nobody waits for these any more; what is among them, or comes of them, may fail without anybody hearing of it. */
function abandon(values: unknown): void {
  if (!Array.isArray(values)) return;
  for (const value of values) {
    if (isPromise(value)) Promise.resolve(value).then(abandon, () => {});
    else abandon(value);
  }
}

/** What an iterable object holds; undefined for anything else. */
function itemsOf(value: unknown): unknown[] | undefined {
  if (typeof (value as Partial<Iterable<unknown>>)[Symbol.iterator] !== 'function' || typeof value !== 'object') return undefined;
  const items: unknown[] = [];
  try {
    for (const item of value as Iterable<unknown>) items.push(item);
  } catch (error) {
    abandon(items);
    throw error;
  }
  return items;
}

import {
  defaultTypeResolver,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  locatedError,
  type SelectionNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import { collectSubfields, fieldDefinitionOf, staticSelections } from '../selection.ts';
import { createVariableDetector, givenArguments, runOfChain, variableArguments } from './arguments.ts';
import { addPendingWrite, allWritten, type JsonOutput, type PendingWrite } from './json-output.ts';
import { createListWriter, enclosingFieldPath } from './list-writer.ts';
import {
  type CompiledField,
  type ExecutionContext,
  ignoreRejections,
  isPromise,
  leafWriter,
  type ResultPath,
  type SelectedField,
  schemaCoordinate,
  ValueInContext,
  type ValueWriter,
  valueSlot,
  writeFailure,
  writeValue,
} from './value-writer.ts';

/**
 * State that executions of an operation share if their values of `@skip` and `@include` are equal. `variableValues` has
 * only the variables that these directives use.
 */
export type CompileContext = Pick<GraphQLResolveInfo, 'schema' | 'operation' | 'fragments' | 'variableValues'>;

/**
 * Compiles an operation, with fixed values of `@skip` and `@include`, into functions that write its result as JSON. The selection of a field is
 * compiled when its first object is written. One class, because the writers of objects, lists and abstract types call each other recursively.
 */
export class OperationCompiler {
  readonly #context: CompileContext;
  readonly #usesVariables: (node: SelectionNode) => boolean;

  constructor(context: CompileContext) {
    this.#context = context;
    this.#usesVariables = createVariableDetector(context.fragments);
  }

  /** The root fields of the operation, in order. */
  rootFields(type: GraphQLObjectType): readonly CompiledField[] {
    return this.#compileFields(type, [this.#context.operation]);
  }

  /** Calls `subscribe` of the root field of a subscription, which returns its source stream. */
  subscribe(field: CompiledField, run: ExecutionContext): unknown {
    const { subscribe } = field.definition;
    if (!subscribe) throw new Error(`${schemaCoordinate(field)} has no subscribe function`);
    const info = this.#resolveInfo(field, run, fieldPath(field));
    return subscribe(undefined, field.given.constants ?? variableArguments(field, run), run.context, info);
  }

  /**
   * Writes an object: starts all its fields, in the order of the selection. The quote after a canonical value is written with the text that
   * follows it, because fewer pieces of text take less time to join.
   */
  writeObject(
    fields: readonly CompiledField[],
    source: unknown,
    run: ExecutionContext,
    path: ResultPath | undefined,
    out: JsonOutput,
  ): PendingWrite {
    let pending: Promise<unknown>[] | undefined;
    let isQuoteOpen = false;
    if (fields.length === 0) out.text += '{';
    try {
      for (let i = 0; i < fields.length; i++) {
        const field = fields[i]!;
        const value = this.#resolveValue(field, source, run, path);
        // Most values need no further function, which takes 0.97 of the CPU of a block with 200 transactions.
        if (field.isCanonical?.(value)) {
          out.text = out.text + (isQuoteOpen ? field.leadAfterQuote : field.quotedLead) + value;
          isQuoteOpen = true;
          continue;
        }
        if (isQuoteOpen) out.text += '"';
        isQuoteOpen = false;
        out.text += field.lead;
        pending = addPendingWrite(pending, writeValue(field.slot, value, run, path, field.key, out));
      }
    } catch (error) {
      ignoreRejections(pending);
      throw error;
    }
    out.text += isQuoteOpen ? '"}' : '}';
    return pending && allWritten(pending);
  }

  /** Writes the root object of a mutation or an event: executes its fields one after the other, each in the context of its chain. */
  async writeSerially(fields: readonly CompiledField[], root: unknown, run: ExecutionContext, out: JsonOutput): Promise<void> {
    if (fields.length === 0) out.text += '{';
    for (const field of fields) {
      out.text += field.lead;
      const own = await runOfChain(field, run).catch((error) => {
        writeFailure(field.slot, error, run, fieldPath(field), out.length, out);
      });
      if (own) await writeValue(field.slot, this.#resolveValue(field, root, own, undefined), own, undefined, field.key, out);
    }
    out.text += '}';
  }

  /** Returns the value of a field; an error that is thrown becomes the value, which fails when it is written. */
  #resolveValue(field: CompiledField, source: unknown, run: ExecutionContext, parent: ResultPath | undefined): unknown {
    const { resolve, takesInfo } = field;
    try {
      if (resolve) {
        const info = takesInfo ? this.#resolveInfo(field, run, fieldPath(field, parent)) : (undefined as never);
        return resolve(source, field.given.constants ?? variableArguments(field, run), run.context, info);
      }
      if ((typeof source !== 'object' && typeof source !== 'function') || source === null) return undefined;
      const value = (source as Record<string, unknown>)[field.name];
      if (typeof value !== 'function') return value;
      const args = field.given.constants ?? variableArguments(field, run);
      return value.call(source, args, run.context, this.#resolveInfo(field, run, fieldPath(field, parent)));
    } catch (error) {
      return error instanceof Error ? error : locatedError(error, undefined);
    }
  }

  #compileFields(parent: GraphQLObjectType, selected: readonly Pick<FieldNode, 'selectionSet'>[]): readonly CompiledField[] {
    const fields: CompiledField[] = [];
    for (const [key, nodes] of collectSubfields(parent, selected, this.#context)) {
      const name = nodes[0]!.name.value;
      const definition = fieldDefinitionOf(parent, name);
      // As the specification requires, skip a field that the schema does not define; validation has already rejected it.
      if (!definition) continue;
      const field: SelectedField = { name, key, nodes, parent, definition };
      const resolve = definition === TypeNameMetaFieldDef ? (_object: unknown) => parent.name : definition.resolve;
      const isStatic = nodes.every(({ selectionSet }) => !selectionSet?.selections.some(this.#usesVariables));
      if (isStatic) staticSelections.set(nodes, this.#context.variableValues);
      const lead = `${fields.length === 0 ? '{' : ','}"${key}":`;
      // Without a spread object, which would give the fields several shapes: reading them would take 5 % of the CPU of 200 transactions.
      fields.push({
        name,
        key,
        nodes,
        parent,
        definition,
        slot: valueSlot(definition.type, nodes, parent.name, this.#valueWriter(definition.type, field)),
        lead,
        quotedLead: `${lead}"`,
        leadAfterQuote: `"${lead}"`,
        resolve,
        isCanonical: canonicalCheckOf(definition.type),
        // A resolver without declared parameters may read `arguments`.
        takesInfo: !!resolve && (resolve.length === 0 || resolve.length > 3),
        given: givenArguments(field),
      });
    }
    return fields;
  }

  #valueWriter(type: GraphQLOutputType, field: SelectedField): ValueWriter {
    const isNonNull = isNonNullType(type);
    const write = this.#nullableWriter(isNonNull ? type.ofType : type, field);
    return (value, run, path, out) => {
      if (value !== null && value !== undefined) return write(value, run, path, out);
      if (isNonNull) throw new Error(`Cannot return null for non-nullable field ${schemaCoordinate(field)}.`);
      out.text += 'null';
      return undefined;
    };
  }

  #nullableWriter(type: GraphQLOutputType, field: SelectedField): ValueWriter {
    if (isListType(type)) return createListWriter(type.ofType, this.#valueWriter(type.ofType, field), field);
    if (isLeafType(type)) return leafWriter(type);
    if (isAbstractType(type)) return this.#abstractWriter(type, field);
    return this.#objectWriter(type as GraphQLObjectType, field);
  }

  #objectWriter(type: GraphQLObjectType, { nodes }: SelectedField): ValueWriter {
    let fields: readonly CompiledField[] | undefined;
    const write: ValueWriter = (value, run, path, out) => {
      if (value instanceof Error) throw value;
      fields ??= this.#compileFields(type, nodes);
      return this.writeObject(fields, value, run, path, out);
    };
    const contextOf = type.extensions.contextOf as ((value: unknown) => unknown) | undefined;
    return contextOf ? (value, run, path, out) => write(value, { ...run, context: contextOf(value) }, path, out) : write;
  }

  #abstractWriter(type: GraphQLAbstractType, field: SelectedField): ValueWriter {
    const { schema } = this.#context;
    const writers = new Map<string, ValueWriter>();
    const writerFor = (name: unknown): ValueWriter => {
      const actual = typeof name === 'string' ? schema.getType(name) : undefined;
      if (!isObjectType(actual) || !schema.isSubType(type, actual)) {
        throw new Error(
          `Cannot determine the type of a value of ${schemaCoordinate(field)}: expected an object type of ${type.name}.`,
        );
      }
      const write = writers.get(actual.name) ?? this.#objectWriter(actual, field);
      writers.set(actual.name, write);
      return write;
    };
    const write: ValueWriter = (value, run, path, out) => {
      if (value instanceof Error) throw value;
      if (value instanceof ValueInContext) return write(value.value, { ...run, context: value.context }, path, out);
      const info = this.#resolveInfo(field, run, enclosingFieldPath(path!));
      const name = (type.resolveType ?? defaultTypeResolver)(value, run.context, info, type);
      if (!isPromise(name)) return writerFor(name)(value, run, path, out);
      const nested = out.nest();
      return Promise.resolve(name).then((resolved) => writerFor(resolved)(value, run, path, nested));
    };
    return write;
  }

  #resolveInfo({ name, nodes, parent, definition }: SelectedField, { variableValues }: ExecutionContext, path: ResultPath) {
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
      variableValues,
    };
  }
}

/** The check of a scalar whose values are strings that JSON does not escape. */
const canonicalCheckOf = (type: GraphQLOutputType, nullable = getNullableType(type)) =>
  isLeafType(nullable) ? (nullable.extensions.isCanonical as CompiledField['isCanonical']) : undefined;

/** The path of a field of an object at `prev`. */
const fieldPath = ({ key, parent }: CompiledField, prev?: ResultPath): ResultPath => ({ prev, key, typename: parent.name });

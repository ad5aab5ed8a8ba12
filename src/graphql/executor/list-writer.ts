import type { GraphQLOutputType } from 'graphql';
import { addPendingWrite, allWritten, type JsonOutput, type PendingWrite } from './json-output.ts';
import {
  type ExecutionContext,
  ignoreRejections,
  type ResultPath,
  type SelectedField,
  schemaCoordinate,
  type ValueSlot,
  type ValueWriter,
  valueSlot,
  writeValue,
} from './value-writer.ts';

/**
 * Writes the next items of a list. Returns a promise if the items need further data. The promise resolves when the
 * items are written or have failed.
 */
export type WriteItems<T> = (items: readonly T[]) => Promise<void> | undefined;

/**
 * A list that is loaded and written in parts, so that it takes the memory of one part. A resolver returns a windowed
 * list instead of a large array.
 */
export class WindowedList<T> {
  /** Creates a list with the type of an array, which the resolver types demand and the executor does not. */
  static asArray<T>(writeTo: (write: WriteItems<T>) => Promise<void>): readonly T[] {
    return new WindowedList(writeTo) as unknown as readonly T[];
  }

  /**
   * Loads the items and passes them to `write`, in order. Starts when the list is written; resolves when all items are
   * written.
   */
  readonly writeTo: (write: WriteItems<T>) => Promise<void>;

  constructor(writeTo: (write: WriteItems<T>) => Promise<void>) {
    this.writeTo = writeTo;
  }
}

/** Number of items between two checks of the budget. */
const ITEMS_PER_CHECK = 64;
/**
 * Number of items that a chunk of the response counts as, because writing few long items takes as long as writing many
 * short items.
 */
const ITEMS_PER_CHUNK = 512;

/** Some items of a list. */
interface ListSlice {
  readonly items: readonly unknown[];
  /** Index of the first item of the slice in the list. */
  readonly offset: number;
}

/** Writes the items of a slice, starting at a position in the slice; yields to the event loop between items. */
type ItemsWriter = (
  slice: ListSlice,
  from: number,
  run: ExecutionContext,
  path: ResultPath | undefined,
  out: JsonOutput,
) => PendingWrite;

/** Creates the writer of a list. `write` writes an item of type `type`. */
export function createListWriter(type: GraphQLOutputType, write: ValueWriter, field: SelectedField): ValueWriter {
  const writeItems = createItemsWriter(valueSlot(type, field.nodes, undefined, write));
  return (value, run, path, out) => {
    if (value instanceof Error) throw value;
    if (value instanceof WindowedList) return writeParts(value, writeItems, run, path, out);
    const items: readonly unknown[] | undefined = Array.isArray(value) ? value : iterableItems(value);
    if (!items) throw new Error(`Expected Iterable, but did not find one for field "${schemaCoordinate(field)}".`);
    out.text += '[';
    const pending = writeItems({ items, offset: 0 }, 0, run, path, out);
    out.text += ']';
    return pending;
  };
}

function createItemsWriter(slot: ValueSlot): ItemsWriter {
  const writeItems: ItemsWriter = (slice, from, run, path, out) => {
    const { items, offset } = slice;
    let pending: Promise<unknown>[] | undefined;
    let uncounted = 0;
    try {
      for (let i = from; i < items.length; i++) {
        if (offset + i > 0) out.text += ',';
        const written = writeValue(slot, items[i], run, path, offset + i, out);
        pending = addPendingWrite(pending, written);
        const hasEncoded = out.encodeIfLong(run.budget);
        // A pending item may be a list that has yielded.
        uncounted += hasEncoded ? ITEMS_PER_CHUNK : 1;
        if (written === undefined && uncounted < ITEMS_PER_CHECK) continue;
        const isYieldDue = run.budget?.shouldYieldAfter(uncounted);
        uncounted = 0;
        if (isYieldDue && i + 1 < items.length) {
          // A promise in the rest may reject before it is written.
          if (from === 0) ignoreRejections(items);
          pending = addPendingWrite(pending, writeAfterYield(slice, i + 1, run, path, out.nest()));
          break;
        }
      }
    } catch (error) {
      ignoreRejections(pending);
      ignoreRejections(items);
      throw error;
    }
    return pending && allWritten(pending);
  };

  const writeAfterYield: ItemsWriter = (slice, from, run, path, out) =>
    run.budget!.yieldTurn().then(() => writeItems(slice, from, run, path, out));

  return writeItems;
}

/** Writes the parts of a list as they are loaded. Resolves when the last part is written. */
async function writeParts(
  { writeTo }: WindowedList<unknown>,
  writeItems: ItemsWriter,
  run: ExecutionContext,
  path: ResultPath | undefined,
  out: JsonOutput,
): Promise<void> {
  const nested = out.nest();
  let offset = 0;
  let pendingParts = 0;
  let failure: { readonly error: unknown } | undefined;
  nested.text = '[';
  const finishPart = async (pending: Promise<unknown>): Promise<void> => {
    pendingParts += 1;
    await pending.catch((error) => {
      failure ??= { error };
    });
    pendingParts -= 1;
    if (pendingParts === 0 && !failure) nested.compact();
  };
  await writeTo((items) => {
    if (failure) throw failure.error;
    const pending = writeItems({ items, offset }, 0, run, path, nested);
    offset += items.length;
    return pending && finishPart(pending);
  });
  if (failure) throw failure.error;
  nested.text += ']';
}

/** The items of an iterable object; undefined for any other value. */
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

/** The path of the field of a value. The value may be an item of a list. */
export function enclosingFieldPath(path: ResultPath): ResultPath {
  let current = path;
  while (typeof current.key === 'number') current = current.prev!;
  return current;
}

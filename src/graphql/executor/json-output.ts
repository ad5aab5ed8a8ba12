import type { OperationBudget } from '../../lib/operation-budget.ts';

/** Length from which text is encoded. Longer ropes are expensive to garbage-collect, shorter chunks to write. */
const CHUNK_CHARS = 64 * 1024;

/** Resolves when a value and everything below it is written; undefined if that is already written. */
export type PendingWrite = Promise<unknown> | undefined;

/**
 * Adds a pending write to a list. Creates the list for the first pending write, because most values are written
 * synchronously.
 */
export function addPendingWrite(writes: Promise<unknown>[] | undefined, pending: PendingWrite): Promise<unknown>[] | undefined {
  if (!pending) return writes;
  if (!writes) return [pending];
  writes.push(pending);
  return writes;
}

/** `Promise.all` without its list of values and a function for each promise. */
export function allWritten(writes: readonly Promise<unknown>[]): Promise<unknown> {
  if (writes.length === 1) return writes[0]!;
  return new Promise<void>((resolve, reject) => {
    let pending = writes.length;
    const finishOne = (): void => {
      if (--pending === 0) resolve();
    };
    for (const write of writes) write.then(finishOne, reject);
  });
}

/** JSON as chunks in order: short JSON as one text, longer JSON as UTF-8 chunks of about 64 KiB. */
export type JsonChunks = readonly (string | Buffer)[];

/** Text in UTF-8, with its number of characters. */
interface EncodedText {
  readonly bytes: Buffer;
  readonly length: number;
}

/** Text that is complete, or a nested output. Most parts are short texts, so they are not wrapped in objects. */
type Part = string | EncodedText | JsonOutput;

const sizeOf = (part: Part): number => (part instanceof JsonOutput ? 1 : part.length);

/**
 * JSON text that is being written: append to `text`. Text that becomes long is encoded, and a nested output takes the place of a value that
 * is written later. A position is the `length` before a value; a nested output counts as one character.
 */
export class JsonOutput {
  /** The text after all parts. */
  text = '';
  /** The parts before `text`: text, encoded or not, and nested outputs. */
  #parts: Part[] | undefined;
  /** Position of `text`. */
  #offset = 0;

  get length(): number {
    return this.#offset + this.text.length;
  }

  /** Adds an output for a value that is written later. */
  nest(): JsonOutput {
    const nested = new JsonOutput();
    this.#append(nested);
    return nested;
  }

  /** If the text is long, encodes and counts it. Returns whether it was long. Throws RESULT_TOO_LARGE. */
  encodeIfLong(budget: OperationBudget | undefined): boolean {
    if (this.text.length < CHUNK_CHARS) return false;
    const bytes = encodeUtf8(this.text);
    const { length } = this.text;
    this.text = '';
    this.#append({ bytes, length });
    budget?.addResponseBytes(bytes.length);
    budget?.throwIfExhausted();
    return true;
  }

  /** Removes everything from a position on. */
  truncate(start: number): void {
    if (start >= this.#offset) this.text = this.text.slice(0, start - this.#offset);
    else this.#cutAt(start);
  }

  /** Moves everything from a position on into a nested output, which replaces it. */
  nestFrom(start: number): JsonOutput {
    const nested = new JsonOutput();
    if (start >= this.#offset) {
      nested.text = this.text.slice(start - this.#offset);
      this.text = this.text.slice(0, start - this.#offset);
    } else {
      const { text } = this;
      for (const part of this.#cutAt(start)) nested.#append(part);
      nested.text += text;
    }
    this.#append(nested);
    return nested;
  }

  /** Replaces everything by null. */
  setNull(): void {
    this.#parts = undefined;
    this.#offset = 0;
    this.text = 'null';
  }

  /** Encodes everything that is written, so that the strings and the nested outputs can be freed. */
  compact(): void {
    const chunks = this.toChunks();
    this.#parts = undefined;
    this.#offset = 0;
    this.text = '';
    // No position inside the encoded text is used any more, so its number of characters does not matter.
    for (const chunk of chunks) this.#append(typeof chunk === 'string' ? chunk : { bytes: chunk, length: chunk.length });
  }

  /** The whole text. All nested outputs must be written. */
  toChunks(): JsonChunks {
    const chunks: Buffer[] = [];
    let text = '';
    const encode = (): void => {
      if (text.length > 0) chunks.push(encodeUtf8(text));
      text = '';
    };
    const visit = (output: JsonOutput): void => {
      for (const part of output.#parts ?? []) {
        if (typeof part === 'string') text += part;
        else if (part instanceof JsonOutput) visit(part);
        else {
          encode();
          chunks.push(part.bytes);
        }
        if (text.length >= CHUNK_CHARS) encode();
      }
      text += output.text;
    };
    visit(this);
    if (chunks.length === 0 && text.length < CHUNK_CHARS) return [text];
    encode();
    return chunks;
  }

  #append(part: Part): void {
    this.#parts ??= [];
    if (this.text.length > 0) {
      this.#parts.push(this.text);
      this.#offset += this.text.length;
      this.text = '';
    }
    this.#parts.push(part);
    this.#offset += sizeOf(part);
  }

  /**
   * Splits the parts at a position before `text`. This output retains the parts before the position; returns the parts
   * after it, without `text`.
   */
  #cutAt(start: number): Part[] {
    const parts = this.#parts!;
    this.text = '';
    const removed: Part[] = [];
    while (this.#offset > start) {
      const part = parts.pop()!;
      this.#offset -= sizeOf(part);
      if (this.#offset >= start) {
        removed.push(part);
        continue;
      }
      // A nested output has no position inside it.
      const text = typeof part === 'string' ? part : (part as EncodedText).bytes.toString();
      this.text = text.slice(0, start - this.#offset);
      removed.push(text.slice(start - this.#offset));
      break;
    }
    return removed.reverse();
  }
}

/** Encodes a text in a separate buffer. In Node's pool, a queued buffer would retain ten times its length. */
export function encodeUtf8(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

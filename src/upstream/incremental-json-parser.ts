import { randomUUID } from 'node:crypto';

/** Bytes of entries that are parsed at once: about a millisecond. */
const SLICE_BYTES = 64 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** An array that was too long to be parsed in one piece. */
interface SlicedArray {
  /** Stands alone in an array in the rest of the text: unlike a string, that is not accepted as a key. No service can send it, since it is random. */
  readonly placeholder: string;
  readonly entries: unknown[];
}

const PLACEHOLDER_PREFIX = randomUUID();

const isPlaceholder = (value: unknown, placeholder: string): boolean => Array.isArray(value) && value[0] === placeholder;

/**
 * Parses a JSON text while its bytes arrive. An array at the root, or in an object at the root, is parsed in slices of whole entries, so
 * that a list of 64 MiB never blocks the process for longer than a slice takes. Gives what `JSON.parse` gives.
 */
export class IncrementalJsonParser {
  /** Bytes that have not been parsed: of the text around the arrays, and of the present array. */
  #around: Buffer[] = [];
  #slice: Buffer[] = [];
  #sliceBytes = 0;
  #depth = 0;
  #isInString = false;
  /** Whether the last chunk ended with the backslash of an escape. */
  #isEscaped = false;
  /** Depth of the entries of the array that is read now; 0 outside of one. */
  #entryDepth = 0;
  /** The present array, once a slice of it has been parsed. */
  #array: SlicedArray | undefined;
  readonly #arrays: SlicedArray[] = [];

  /** Takes the next bytes. True when a slice has been parsed: let other work run before the next call. Throws a SyntaxError. */
  push(chunk: Buffer): boolean {
    let from = 0;
    let hasParsed = false;
    for (let i = 0; i < chunk.length; i++) {
      if (this.#isInString) {
        i = this.#endOfString(chunk, i);
        continue;
      }
      const byte = chunk[i];
      if (byte === QUOTE) this.#isInString = true;
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        this.#depth += 1;
        if (byte === OPEN_OBJECT || this.#depth > 2 || this.#entryDepth > 0) continue;
        this.#around.push(chunk.subarray(from, i));
        from = i;
        this.#entryDepth = this.#depth;
      } else if (byte === COMMA) {
        if (this.#depth !== this.#entryDepth || this.#sliceBytes + i - from < SLICE_BYTES) continue;
        this.#slice.push(chunk.subarray(from, i));
        this.#parseSlice(']');
        from = i + 1;
        hasParsed = true;
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        this.#depth -= 1;
        if (this.#depth + 1 !== this.#entryDepth) continue;
        this.#slice.push(chunk.subarray(from, i + 1));
        hasParsed ||= this.#array !== undefined;
        this.#closeArray();
        from = i + 1;
      }
    }
    const rest = chunk.subarray(from);
    if (this.#entryDepth === 0) this.#around.push(rest);
    else {
      this.#slice.push(rest);
      this.#sliceBytes += rest.length;
    }
    return hasParsed;
  }

  /** The whole value. Throws a SyntaxError when the text is not JSON. */
  end(): unknown {
    // What is left of such an array may look like a whole value.
    if (this.#array) throw new SyntaxError('an array is not closed');
    const root: unknown = JSON.parse(Buffer.concat([...this.#around, ...this.#slice]).toString());
    for (const { placeholder, entries } of this.#arrays) {
      if (isPlaceholder(root, placeholder)) return entries;
      const object = root as Record<string, unknown>;
      for (const key of Object.keys(object)) if (isPlaceholder(object[key], placeholder)) object[key] = entries;
    }
    return root;
  }

  /** The place of the quote that ends the string, or the last place of the chunk when it goes on. */
  #endOfString(chunk: Buffer, from: number): number {
    let start = from;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      start += 1;
    }
    for (;;) {
      const quote = chunk.indexOf(QUOTE, start);
      const end = quote < 0 ? chunk.length : quote;
      let backslashes = 0;
      while (end - 1 - backslashes >= start && chunk[end - 1 - backslashes] === BACKSLASH) backslashes += 1;
      const isEscaped = backslashes % 2 === 1;
      if (quote < 0) {
        this.#isEscaped = isEscaped;
        return chunk.length;
      }
      if (!isEscaped) {
        this.#isInString = false;
        return quote;
      }
      start = quote + 1;
    }
  }

  /** Parses the entries up to a comma, or up to the array's own end. */
  #parseSlice(end: ']' | ''): void {
    const text = Buffer.concat(this.#slice).toString() + end;
    this.#slice = [];
    this.#sliceBytes = 0;
    const isFirst = this.#array === undefined;
    const entries = JSON.parse(isFirst ? text : `[${text}`) as unknown[];
    // Behind a comma there has to be an entry.
    if (entries.length === 0) throw new SyntaxError('an array ends with a comma');
    this.#array ??= { placeholder: `${PLACEHOLDER_PREFIX} ${this.#arrays.length}`, entries: [] };
    for (const entry of entries) this.#array.entries.push(entry);
  }

  /** Puts what stands for the array, or the whole of a short one, into the text around it. */
  #closeArray(): void {
    if (this.#array) {
      this.#parseSlice('');
      this.#arrays.push(this.#array);
      this.#around.push(Buffer.from(JSON.stringify([this.#array.placeholder])));
    } else this.#around.push(...this.#slice);
    this.#slice = [];
    this.#sliceBytes = 0;
    this.#array = undefined;
    this.#entryDepth = 0;
  }
}

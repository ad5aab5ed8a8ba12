import { randomUUID } from 'node:crypto';

/** Bytes of array entries that are parsed at once; takes about a millisecond. */
const SLICE_BYTES = 64 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** An array that is parsed in several slices. */
interface SlicedArray {
  /**
   * Random string, so that no upstream can send it. The text around the array contains `["<placeholder>"]` instead of the array: where JSON
   * requires a key, an array is a syntax error and a bare string would not be.
   */
  readonly placeholder: string;
  readonly entries: unknown[];
}

const PLACEHOLDER_PREFIX = randomUUID();

const isPlaceholder = (value: unknown, placeholder: string): boolean => Array.isArray(value) && value[0] === placeholder;

/**
 * Parses a JSON text while its bytes arrive; the result equals that of `JSON.parse`. An array at the root, or in an object at the root,
 * is parsed in slices of whole entries, so that even a list of 64 MiB blocks the event loop only for the time of one slice.
 */
export class IncrementalJsonParser {
  /** Unparsed bytes of the text around the sliced arrays. */
  #outerChunks: Buffer[] = [];
  /** Unparsed bytes of the current array. */
  #sliceChunks: Buffer[] = [];
  #sliceBytes = 0;
  #depth = 0;
  #isInString = false;
  /** Whether the last chunk ended with the backslash of an escape. */
  #isEscaped = false;
  /** Depth of the entries of the current array; 0 outside of one. */
  #entryDepth = 0;
  /** The current array, once a slice of it has been parsed. */
  #array: SlicedArray | undefined;
  readonly #arrays: SlicedArray[] = [];

  /** Reads the next bytes. Returns true when it has parsed a slice: yield to the event loop before the next call. Throws a SyntaxError. */
  push(chunk: Buffer): boolean {
    let from = 0;
    let hasParsed = false;
    for (let i = 0; i < chunk.length; i++) {
      if (this.#isInString) {
        i = this.#findStringEnd(chunk, i);
        continue;
      }
      const byte = chunk[i];
      if (byte === QUOTE) this.#isInString = true;
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        this.#depth += 1;
        if (byte === OPEN_OBJECT || this.#depth > 2 || this.#entryDepth > 0) continue;
        this.#outerChunks.push(chunk.subarray(from, i));
        from = i;
        this.#entryDepth = this.#depth;
      } else if (byte === COMMA) {
        if (this.#depth !== this.#entryDepth || this.#sliceBytes + i - from < SLICE_BYTES) continue;
        this.#sliceChunks.push(chunk.subarray(from, i));
        this.#parseSlice(']');
        from = i + 1;
        hasParsed = true;
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        this.#depth -= 1;
        if (this.#depth + 1 !== this.#entryDepth) continue;
        this.#sliceChunks.push(chunk.subarray(from, i + 1));
        hasParsed ||= this.#array !== undefined;
        this.#closeArray();
        from = i + 1;
      }
    }
    const rest = chunk.subarray(from);
    if (this.#entryDepth === 0) this.#outerChunks.push(rest);
    else {
      this.#sliceChunks.push(rest);
      this.#sliceBytes += rest.length;
    }
    return hasParsed;
  }

  /** Returns the whole value. Throws a SyntaxError when the text is not JSON. */
  end(): unknown {
    // The unparsed rest of an unclosed array may itself be valid JSON.
    if (this.#array) throw new SyntaxError('an array is not closed');
    const root: unknown = JSON.parse(Buffer.concat([...this.#outerChunks, ...this.#sliceChunks]).toString());
    for (const { placeholder, entries } of this.#arrays) {
      if (isPlaceholder(root, placeholder)) return entries;
      const object = root as Record<string, unknown>;
      for (const key of Object.keys(object)) if (isPlaceholder(object[key], placeholder)) object[key] = entries;
    }
    return root;
  }

  /** Returns the index of the quote that ends the string, or the length of the chunk when the string continues in the next one. */
  #findStringEnd(chunk: Buffer, from: number): number {
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

  /** Parses the buffered entries. `end` closes them when they stop at a comma; at the end of the array they contain its own bracket. */
  #parseSlice(end: ']' | ''): void {
    const text = Buffer.concat(this.#sliceChunks).toString() + end;
    this.#sliceChunks = [];
    this.#sliceBytes = 0;
    const isFirst = this.#array === undefined;
    const entries = JSON.parse(isFirst ? text : `[${text}`) as unknown[];
    // JSON requires an entry after a comma.
    if (entries.length === 0) throw new SyntaxError('an array ends with a comma');
    this.#array ??= { placeholder: `${PLACEHOLDER_PREFIX} ${this.#arrays.length}`, entries: [] };
    for (const entry of entries) this.#array.entries.push(entry);
  }

  /** Appends the array to the outer text: the placeholder of a sliced array, or the bytes of a short one. */
  #closeArray(): void {
    if (this.#array) {
      this.#parseSlice('');
      this.#arrays.push(this.#array);
      this.#outerChunks.push(Buffer.from(JSON.stringify([this.#array.placeholder])));
    } else this.#outerChunks.push(...this.#sliceChunks);
    this.#sliceChunks = [];
    this.#sliceBytes = 0;
    this.#array = undefined;
    this.#entryDepth = 0;
  }
}

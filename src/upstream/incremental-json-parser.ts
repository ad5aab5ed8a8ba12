import { randomUUID } from 'node:crypto';

/** Bytes of array entries that are parsed at once; takes about a millisecond. */
const SLICE_BYTES = 64 * 1024;

/** Arrays up to this depth are parsed in slices: the list of a service at depth 1 or 2, the result of a call in a batch at depth 3. */
const MAX_SLICED_DEPTH = 3;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** An open array, or the text around all arrays. */
interface Frame {
  /** Depth of its entries; 0 for the text around all arrays. */
  readonly depth: number;
  /** Unparsed bytes. */
  chunks: Buffer[];
  bytes: number;
  /** Entries of the slices that were parsed; undefined before the first slice. */
  entries: unknown[] | undefined;
}

/**
 * Replaces a parsed array in the text around it: `["<placeholder>"]`. An array, since JSON does not accept one as a key. Random, so that no
 * upstream can send it.
 */
const PLACEHOLDER_PREFIX = randomUUID();

/**
 * Parses a JSON text while its bytes arrive; the result equals that of `JSON.parse`. Arrays down to the third level are parsed in slices of
 * whole entries, so that even a list of 64 MiB blocks the event loop only for the time of one slice.
 */
export class IncrementalJsonParser {
  readonly #frames: Frame[] = [createFrame(0)];
  #depth = 0;
  #isInString = false;
  /** Whether the last chunk ended with the backslash of an escape. */
  #isEscaped = false;
  #placeholders = 0;
  /** Arrays whose placeholder is in text that is not parsed yet. */
  readonly #arrays = new Map<string, readonly unknown[]>();

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
        if (byte === OPEN_OBJECT || this.#depth > MAX_SLICED_DEPTH) continue;
        append(this.#frame, chunk.subarray(from, i));
        from = i;
        this.#frames.push(createFrame(this.#depth));
      } else if (byte === COMMA) {
        const frame = this.#frame;
        if (this.#depth !== frame.depth || frame.bytes + i - from < SLICE_BYTES) continue;
        append(frame, chunk.subarray(from, i));
        this.#parseSlice(frame, ']');
        from = i + 1;
        hasParsed = true;
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        this.#depth -= 1;
        const frame = this.#frame;
        if (frame.depth === 0 || this.#depth + 1 !== frame.depth) continue;
        append(frame, chunk.subarray(from, i + 1));
        hasParsed ||= frame.entries !== undefined;
        this.#closeArray(frame);
        from = i + 1;
      }
    }
    append(this.#frame, chunk.subarray(from));
    return hasParsed;
  }

  /** Returns the whole value. Throws a SyntaxError when the text is not JSON. */
  end(): unknown {
    // The unparsed rest of an unclosed array may itself be valid JSON.
    if (this.#frames.some(({ entries }) => entries)) throw new SyntaxError('an array is not closed');
    return this.#parse(this.#frames.flatMap(({ chunks }) => chunks));
  }

  get #frame(): Frame {
    return this.#frames.at(-1)!;
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
  #parseSlice(frame: Frame, end: ']' | ''): void {
    const isFirst = frame.entries === undefined;
    const entries = this.#parse([Buffer.from(isFirst ? '' : '['), ...frame.chunks, Buffer.from(end)]) as unknown[];
    // JSON requires an entry after a comma.
    if (entries.length === 0) throw new SyntaxError('an array ends with a comma');
    frame.chunks = [];
    frame.bytes = 0;
    frame.entries ??= [];
    for (const entry of entries) frame.entries.push(entry);
  }

  /** Appends the innermost array to the text around it: the placeholder of a parsed array, or the bytes of a short one. */
  #closeArray(frame: Frame): void {
    this.#frames.pop();
    const outer = this.#frame;
    if (frame.entries) {
      this.#parseSlice(frame, '');
      this.#placeholders += 1;
      const placeholder = `${PLACEHOLDER_PREFIX} ${this.#placeholders}`;
      this.#arrays.set(placeholder, frame.entries);
      append(outer, Buffer.from(JSON.stringify([placeholder])));
    } else for (const chunk of frame.chunks) append(outer, chunk);
  }

  #parse(chunks: readonly Buffer[]): unknown {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString());
    return this.#arrays.size === 0 ? value : this.#restoreArrays(value, MAX_SLICED_DEPTH);
  }

  /** Returns the value with the arrays instead of their placeholders, which are at most `depth` levels deep. */
  #restoreArrays(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const placeholder = Array.isArray(value) ? value[0] : undefined;
    const array = typeof placeholder === 'string' ? this.#arrays.get(placeholder) : undefined;
    if (array) {
      this.#arrays.delete(placeholder);
      return array;
    }
    if (depth === 0) return value;
    const container = value as Record<string, unknown>;
    for (const key of Object.keys(container)) {
      if (this.#arrays.size === 0) break;
      const restored = this.#restoreArrays(container[key], depth - 1);
      if (restored !== container[key]) container[key] = restored;
    }
    return value;
  }
}

const createFrame = (depth: number): Frame => ({ depth, chunks: [], bytes: 0, entries: undefined });

function append(frame: Frame, chunk: Buffer): void {
  frame.chunks.push(chunk);
  frame.bytes += chunk.length;
}

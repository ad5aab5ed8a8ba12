import { randomUUID } from 'node:crypto';

/** Maximum size of a text that is parsed at once, which takes less than ten milliseconds. */
export const MAX_UNSLICED_BYTES = 1024 * 1024;

/** Size of a slice of entries, which is parsed at once in about a millisecond. */
const SLICE_BYTES = 128 * 1024;

const SPACE = 0x20;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/** Maximum offset of the start of the list: the fields of a block before its transactions are shorter. */
const MAX_START_BYTES = 8 * 1024;

/** The starts of lists of objects, each up to the first key of its first object. */
const LIST_STARTS = /\[\s*(\{\s*"\w+"\s*:)/g;

/** Placeholder for the parsed entries in the text around them. Random, so that no upstream can send it. */
const PLACEHOLDER = randomUUID();

/**
 * Parses a JSON text while its bytes arrive; the result equals the result of `JSON.parse`. The entries of the first
 * list of objects with several entries in the first MiB, such as a JSON-RPC batch, the logs of a search or the duels of a service, are parsed in slices, so
 * that a list of 64 MiB does not block the event loop. All entries of a list begin with one key, so the parser searches
 * for that key instead of scanning the structure, and verifies the found positions by parsing: if the text between two
 * positions is not JSON, it parses the rest at once. It also parses a text without a list of objects at once.
 */
export class ListJsonParser {
  readonly #unslicedBytes: number;
  /** Whether the start of the text has been read. A short text is parsed at once, which is faster. */
  #hasStarted = false;
  /** Whether the text is the list itself. */
  #isList = false;
  /** The text up to the first entry. */
  #prefix = '';
  /** The text with which entries begin; undefined when the text cannot be split, or cannot be split any further. */
  #entryStart: Buffer | undefined;
  #entries: unknown[] = [];
  #hasParsed = false;
  /** The bytes until the start of the text is read. */
  #chunks: Buffer[] = [];
  /**
   * Then: an opening bracket and the unparsed bytes, up to `#length`. One buffer for all slices, because a buffer that is
   * garbage keeps its memory until a collection.
   */
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  /** A text of at most `unslicedBytes` bytes is parsed at once, a longer text in slices. */
  constructor(unslicedBytes = MAX_UNSLICED_BYTES) {
    this.#unslicedBytes = unslicedBytes;
  }

  /** Reads the next bytes. Returns true when it has parsed entries: yield to the event loop before the next call. */
  push(chunk: Buffer): boolean {
    const lengthBefore = this.#length;
    this.#length += chunk.length;
    if (this.#hasStarted) {
      if (this.#length > this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer], 2 * this.#length);
      chunk.copy(this.#buffer, lengthBefore);
      // The text with which an entry begins can be in two chunks.
      return this.#parse(Math.max(1, lengthBefore - (this.#entryStart?.length ?? 0)));
    }
    this.#chunks.push(chunk);
    if (this.#length <= this.#unslicedBytes) return false;
    this.#readStart(Buffer.concat(this.#chunks));
    return this.#parse(1);
  }

  #readStart(start: Buffer): void {
    this.#hasStarted = true;
    this.#chunks = [];
    const lists = [...start.toString('latin1', 0, MAX_START_BYTES).matchAll(LIST_STARTS)];
    // A list of one long entry, such as a simulated block, contains the list to split. A batch is split into its entries.
    const hasEntries = ({ 0: text, 1: entry, index }: RegExpExecArray) =>
      index === 0 || start.indexOf(entry!, index + text.length) !== -1;
    const list = lists.find(hasEntries) ?? lists[0];
    const prefixLength = list ? list.index + list[0].length - list[1]!.length : 1;
    if (list) this.#entryStart = Buffer.from(list[1]!, 'latin1');
    this.#prefix = start.toString('utf8', 0, prefixLength);
    this.#isList = this.#prefix.trim() === '[';
    this.#buffer = start.subarray(prefixLength - 1);
    this.#buffer[0] = OPENING_BRACKET;
    this.#length = this.#buffer.length;
  }

  /** Parses the slices that are complete, and removes them from the buffer. */
  #parse(searchFrom: number): boolean {
    const text = this.#buffer.subarray(0, this.#length);
    let from = 0;
    for (let i = this.#nextEntry(text, searchFrom); i !== -1; i = this.#nextEntry(text, i + 1)) {
      if (i - from <= SLICE_BYTES || !this.#parseSlice(text.subarray(from, i))) continue;
      from = i - 1;
      text[from] = OPENING_BRACKET;
    }
    if (from > 0) text.copyWithin(0, from);
    this.#length -= from;
    return from > 0;
  }

  /** Returns the parsed entries and removes them from the text; empty when the text is not the list itself. */
  take(): readonly unknown[] {
    if (!this.#isList) return [];
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  /** Returns the whole value, without the entries that were taken. Throws a SyntaxError when the text is not JSON. */
  end(): unknown {
    const rest = this.#hasStarted ? this.#buffer.toString('utf8', 1, this.#length) : Buffer.concat(this.#chunks).toString();
    if (!this.#hasParsed) return JSON.parse(this.#prefix + rest);
    // The rest begins with an entry.
    const value: unknown = JSON.parse(`${this.#prefix}"${PLACEHOLDER}",${rest}`);
    const list = findPlaceholder(value);
    // A later property with this name has replaced the list.
    if (!list) return value;
    for (const entry of list.splice(0).slice(1)) this.#entries.push(entry);
    for (const entry of this.#entries) list.push(entry);
    return value;
  }

  #nextEntry(text: Buffer, from: number): number {
    return this.#entryStart ? text.indexOf(this.#entryStart, from) : -1;
  }

  /**
   * Parses an opening bracket and entries if a comma follows them, and returns whether it has. Writes the closing bracket
   * into the bytes, because joining strings would copy them. Stops splitting if the bytes are not whole entries: an
   * entry then contains the text with which entries begin.
   */
  #parseSlice(bytes: Buffer): boolean {
    let end = bytes.length - 1;
    while (bytes[end]! <= SPACE) end -= 1;
    if (bytes[end] !== COMMA) return false;
    bytes[end] = CLOSING_BRACKET;
    try {
      const entries = JSON.parse(bytes.toString('utf8', 0, end + 1)) as unknown[];
      for (const entry of entries) this.#entries.push(entry);
    } catch {
      bytes[end] = COMMA;
      this.#entryStart = undefined;
      return false;
    }
    this.#hasParsed = true;
    return true;
  }
}

/**
 * Returns the list that begins with the placeholder. The search is short, because only the start of the text precedes
 * this list.
 */
function findPlaceholder(value: unknown): unknown[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) && value[0] === PLACEHOLDER) return value;
  for (const part of Object.values(value)) {
    const list = findPlaceholder(part);
    if (list) return list;
  }
  return undefined;
}

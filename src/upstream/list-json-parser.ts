import { randomUUID } from 'node:crypto';

/** Maximum size of a text that is parsed at once, which takes less than ten milliseconds. */
export const MAX_UNSLICED_BYTES = 1024 * 1024;

/** Size of a slice of entries, which is parsed at once in about a millisecond. */
const SLICE_BYTES = 128 * 1024;

const SPACE = 0x20;
const COMMA = 0x2c;

/** Maximum offset of the start of the list: the fields of a block before its transactions are shorter. */
const MAX_START_BYTES = 8 * 1024;

/** The start of a list of objects, up to the first key of its first object. */
const LIST_START = /\[\s*(\{\s*"\w+"\s*:)/;

/** Placeholder for the parsed entries in the text around them. Random, so that no upstream can send it. */
const PLACEHOLDER = randomUUID();

/**
 * Parses a JSON text while its bytes arrive; the result equals the result of `JSON.parse`. The entries of the first
 * list of objects, such as a JSON-RPC batch, the logs of a search or the duels of a service, are parsed in slices, so
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
  /** Unparsed bytes, without `#tail`. */
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Last bytes, which can contain the first part of the text with which entries begin. */
  #tail: Buffer = Buffer.alloc(0);

  /** A text of at most `unslicedBytes` bytes is parsed at once, a longer text in slices. */
  constructor(unslicedBytes = MAX_UNSLICED_BYTES) {
    this.#unslicedBytes = unslicedBytes;
  }

  /** Reads the next bytes. Returns true when it has parsed entries: yield to the event loop before the next call. */
  push(chunk: Buffer): boolean {
    if (this.#hasStarted) return this.#parse(Buffer.concat([this.#tail, chunk]));
    this.#append(chunk);
    if (this.#bytes <= this.#unslicedBytes) return false;
    const start = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    this.#hasStarted = true;
    const list = LIST_START.exec(start.toString('latin1', 0, MAX_START_BYTES));
    if (!list) return this.#parse(start);
    const prefixLength = list.index + list[0].length - list[1]!.length;
    this.#entryStart = Buffer.from(list[1]!, 'latin1');
    this.#prefix = start.toString('utf8', 0, prefixLength);
    this.#isList = this.#prefix.trim() === '[';
    return this.#parse(start.subarray(prefixLength));
  }

  #parse(bytes: Buffer): boolean {
    const parsed = this.#entries.length;
    let from = 0;
    for (let i = this.#nextEntry(bytes, 0); i !== -1; i = this.#nextEntry(bytes, i + 1)) {
      if (this.#bytes + i - from < SLICE_BYTES) continue;
      this.#append(bytes.subarray(from, i));
      from = i;
      this.#parseSlice();
    }
    const tailStart = Math.max(from, bytes.length - (this.#entryStart?.length ?? 1) + 1);
    this.#append(bytes.subarray(from, tailStart));
    this.#tail = bytes.subarray(tailStart);
    return this.#entries.length > parsed;
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
    if (this.#hasStarted) this.#append(this.#tail);
    const rest = (this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)).toString();
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

  #nextEntry(bytes: Buffer, from: number): number {
    return this.#entryStart ? bytes.indexOf(this.#entryStart, from) : -1;
  }

  #append(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
  }

  /**
   * Parses the unparsed entries if a comma follows them. Stops splitting if the bytes are not whole entries: an entry
   * then contains the text with which entries begin.
   */
  #parseSlice(): void {
    const bytes = Buffer.concat(this.#chunks);
    let end = bytes.length - 1;
    while (bytes[end]! <= SPACE) end -= 1;
    if (bytes[end] !== COMMA) return;
    try {
      const entries = JSON.parse(`[${bytes.toString('utf8', 0, end)}]`) as unknown[];
      for (const entry of entries) this.#entries.push(entry);
    } catch {
      this.#entryStart = undefined;
      return;
    }
    this.#hasParsed = true;
    this.#chunks = [];
    this.#bytes = 0;
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

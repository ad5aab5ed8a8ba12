/** Bytes of entries that are parsed at once; takes less than a millisecond. */
const SLICE_BYTES = 256 * 1024;

/** The start of a list of JSON-RPC responses, up to the first key. */
const BATCH_START = /^\[(\{"\w+":)/;

/**
 * Parses the response to a JSON-RPC batch while its bytes arrive; the result equals that of `JSON.parse`. All entries of a batch begin with
 * the same key, so the parser searches for that text instead of scanning the structure, and verifies the positions by parsing: if text
 * between two of them is not JSON, it parses the rest at once.
 */
export class BatchJsonParser {
  /** The text between two entries. */
  readonly #delimiter: Buffer;
  #entries: unknown[] = [];
  #hasTaken = false;
  /** Unparsed bytes, without `#tail`. */
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Last bytes, which can contain the start of a delimiter. */
  #tail: Buffer = Buffer.alloc(0);
  #isFirst = true;
  #canSplit = true;

  private constructor(delimiter: Buffer) {
    this.#delimiter = delimiter;
  }

  /** Creates a parser for a text with this start; undefined when it is not the response to a batch. */
  static for(start: Buffer): BatchJsonParser | undefined {
    const entryStart = BATCH_START.exec(start.toString('latin1', 0, 32))?.[1];
    return entryStart === undefined ? undefined : new BatchJsonParser(Buffer.from(`,${entryStart}`));
  }

  /** Reads the next bytes. Returns true when it has parsed entries: yield to the event loop before the next call. */
  push(chunk: Buffer): boolean {
    const bytes = this.#isFirst ? chunk.subarray(1) : Buffer.concat([this.#tail, chunk]);
    this.#isFirst = false;
    const parsed = this.#entries.length;
    let from = 0;
    if (this.#canSplit) {
      for (let i = bytes.indexOf(this.#delimiter); i !== -1 && this.#canSplit; i = bytes.indexOf(this.#delimiter, i + 1)) {
        if (this.#bytes + i - from < SLICE_BYTES) continue;
        this.#append(bytes.subarray(from, i));
        from = i;
        if (this.#parseSlice()) from = i + 1;
      }
    }
    const tailStart = Math.max(from, bytes.length - this.#delimiter.length + 1);
    this.#append(bytes.subarray(from, tailStart));
    this.#tail = bytes.subarray(tailStart);
    return this.#entries.length > parsed;
  }

  /** Returns the parsed entries and removes them from the list. */
  take(): readonly unknown[] {
    const entries = this.#entries;
    this.#entries = [];
    this.#hasTaken ||= entries.length > 0;
    return entries;
  }

  /** Returns the whole list, without the entries that were taken. Throws a SyntaxError when the text is not JSON. */
  end(): unknown[] {
    this.#append(this.#tail);
    const rest = JSON.parse(`[${Buffer.concat(this.#chunks)}`) as unknown[];
    // JSON requires an entry after a comma.
    if (rest.length === 0 && (this.#hasTaken || this.#entries.length > 0)) throw new SyntaxError('the list ends with a comma');
    for (const entry of rest) this.#entries.push(entry);
    return this.#entries;
  }

  #append(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
  }

  /** Parses the unparsed entries; returns false when they are not whole, because a value contained the delimiter. */
  #parseSlice(): boolean {
    try {
      const entries = JSON.parse(`[${Buffer.concat(this.#chunks)}]`) as unknown[];
      for (const entry of entries) this.#entries.push(entry);
      this.#canSplit = entries.length > 0;
    } catch {
      this.#canSplit = false;
    }
    if (!this.#canSplit) return false;
    this.#chunks = [];
    this.#bytes = 0;
    return true;
  }
}

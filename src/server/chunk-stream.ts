import { Readable } from 'node:stream';
import type { UnsentBytes } from './clients/connection.ts';

/** Reads chunks one by one and releases each when it has been read, so that memory shrinks while a client reads. The rest counts as unsent. */
export class ChunkStream extends Readable {
  readonly #chunks: (string | Buffer)[];
  readonly #unsent: UnsentBytes;
  /** Number of bytes that are not read yet. */
  #rest = 0;
  #next = 0;

  constructor(chunks: readonly (string | Buffer)[], unsent: UnsentBytes) {
    super();
    this.#chunks = [...chunks];
    this.#unsent = unsent;
    for (const chunk of chunks) this.#rest += Buffer.byteLength(chunk);
    unsent.add(this.#rest);
  }

  /** Number of bytes that are not read yet. */
  get restBytes(): number {
    return this.#rest;
  }

  override _read(): void {
    const chunk = this.#chunks[this.#next];
    this.#chunks[this.#next] = '';
    this.#next += 1;
    if (chunk !== undefined) this.#remove(Buffer.byteLength(chunk));
    this.push(chunk ?? null);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#remove(this.#rest);
    this.#chunks.length = 0;
    done(error);
  }

  #remove(bytes: number): void {
    this.#rest -= bytes;
    this.#unsent.remove(bytes);
  }
}

import { Readable } from 'node:stream';

/** Reads chunks one by one and releases each when it has been read, so that memory shrinks while a client reads. */
export class ChunkStream extends Readable {
  readonly #chunks: (string | Buffer)[];
  #next = 0;

  constructor(chunks: readonly (string | Buffer)[]) {
    super();
    this.#chunks = [...chunks];
  }

  override _read(): void {
    const chunk = this.#chunks[this.#next];
    this.#chunks[this.#next] = '';
    this.#next += 1;
    this.push(chunk ?? null);
  }
}

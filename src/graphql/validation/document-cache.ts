import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Maximum number of source characters of all cached documents. With what is compiled from it, a short document takes about 180 times the memory of its text. */
const MAX_CACHED_SOURCE_CHARS = 512 * 1024;
const MAX_CACHED_DOCUMENT_CHARS = 16 * 1024;

/** Parsed and valid documents by the SHA-256 of their text: an LRU cache, and the documents of running subscriptions. */
export class DocumentCache {
  readonly #cache = new LRUCache<string, DocumentNode>({
    maxSize: MAX_CACHED_SOURCE_CHARS,
    maxEntrySize: MAX_CACHED_DOCUMENT_CHARS,
    sizeCalculation: (document) => sourceLength(document) || 1,
  });
  readonly #retained = new Map<string, { readonly document: DocumentNode; readonly release: () => void; users: number }>();

  get(hash: string): DocumentNode | undefined {
    return this.#cache.get(hash) ?? this.#retained.get(hash)?.document;
  }

  set(hash: string, document: DocumentNode): void {
    this.#cache.set(hash, document);
  }

  /**
   * Retains a document for a running subscription. Returns the function that releases it, which must be called once. `retainText` counts the
   * source characters of a document that is not retained yet, and returns the function that releases them; its errors are thrown.
   */
  retain(hash: string, document: DocumentNode, retainText: (chars: number) => () => void): () => void {
    let entry = this.#retained.get(hash);
    if (!entry) {
      entry = { document, release: retainText(sourceLength(document)), users: 0 };
      this.#retained.set(hash, entry);
    }
    entry.users++;
    return () => {
      if (--entry.users > 0) return;
      entry.release();
      this.#retained.delete(hash);
    };
  }
}

const sourceLength = ({ loc }: DocumentNode): number => loc?.source.body.length ?? 0;

import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { GraphError } from '../../lib/errors.ts';

/** Maximum number of source characters of all cached documents. With what is compiled from it, a short document takes about 180 times the memory of its text. */
const MAX_CACHED_SOURCE_CHARS = 512 * 1024;
const MAX_CACHED_DOCUMENT_CHARS = 16 * 1024;
/** Maximum number of source characters of the documents that running subscriptions retain, each document counted once. */
const MAX_RETAINED_SOURCE_CHARS = 4 * 1024 * 1024;

/** Parsed and valid documents by the SHA-256 of their text: an LRU cache, and the documents of running subscriptions. */
export class DocumentCache {
  readonly #cache = new LRUCache<string, DocumentNode>({
    maxSize: MAX_CACHED_SOURCE_CHARS,
    maxEntrySize: MAX_CACHED_DOCUMENT_CHARS,
    sizeCalculation: (document) => sourceLength(document) || 1,
  });
  readonly #retained = new Map<string, { readonly document: DocumentNode; users: number }>();
  #retainedChars = 0;

  get(hash: string): DocumentNode | undefined {
    return this.#cache.get(hash) ?? this.#retained.get(hash)?.document;
  }

  set(hash: string, document: DocumentNode): void {
    this.#cache.set(hash, document);
  }

  /**
   * Retains a document for a running subscription. Returns the function that releases it, which must be called once.
   * Throws TOO_MANY_SUBSCRIPTIONS.
   */
  retain(hash: string, document: DocumentNode): () => void {
    const entry = this.#retained.get(hash) ?? { document, users: 0 };
    if (entry.users === 0) {
      if (this.#retainedChars + sourceLength(document) > MAX_RETAINED_SOURCE_CHARS) {
        const message = `The documents of all running subscriptions exceed ${MAX_RETAINED_SOURCE_CHARS} characters. Try again later.`;
        throw new GraphError('TOO_MANY_SUBSCRIPTIONS', message, { limit: MAX_RETAINED_SOURCE_CHARS, retryable: true });
      }
      this.#retainedChars += sourceLength(document);
      this.#retained.set(hash, entry);
    }
    entry.users++;
    return () => {
      if (--entry.users > 0) return;
      this.#retainedChars -= sourceLength(document);
      this.#retained.delete(hash);
    };
  }
}

const sourceLength = ({ loc }: DocumentNode): number => loc?.source.body.length ?? 0;

import { createHash } from 'node:crypto';
import type { DocumentNode } from 'graphql';
import { GraphError } from '../lib/errors.ts';
import type { GraphRequest } from './request.ts';

/** Value of TRUSTED_DOCUMENTS: `only` refuses every other document. */
export type TrustedDocumentsMode = 'off' | 'on' | 'only';

/** The documents that requests may name by an id instead of their text, and the mode of the server. */
export interface TrustedDocumentsOptions {
  readonly mode: TrustedDocumentsMode;
  /** The text of each document by its id. */
  readonly texts: ReadonlyMap<string, string>;
}

interface TrustedDocument {
  readonly id: string;
  readonly text: string;
  readonly document: DocumentNode;
}

/** The id of a document by its text, as GraphQL over HTTP defines it. */
const HASH_PREFIX = 'sha256:';

/**
 * The documents of TRUSTED_DOCUMENTS_FILE, parsed and validated when the server starts. A request names one by its id in the manifest, or by the
 * SHA-256 of its text.
 */
export class TrustedDocuments {
  readonly #mode: TrustedDocumentsMode;
  readonly #byId = new Map<string, TrustedDocument>();
  readonly #byHash = new Map<string, TrustedDocument>();

  /** `parse` parses and validates a document, or throws. Throws BAD_USER_INPUT for an invalid document. */
  constructor({ mode, texts }: TrustedDocumentsOptions, parse: (text: string) => DocumentNode) {
    this.#mode = mode;
    if (mode === 'off') return;
    for (const [id, text] of texts) {
      const hash = createHash('sha256').update(text).digest('hex');
      if (id.startsWith(HASH_PREFIX) && id !== HASH_PREFIX + hash) throw invalidDocumentError(id, 'does not have this hash');
      const trusted = { id, text, document: parseTrusted(id, text, parse) };
      this.#byId.set(id, trusted);
      this.#byId.set(HASH_PREFIX + hash, trusted);
      this.#byHash.set(hash, trusted);
    }
  }

  /** Returns the parsed document with this hash of its text; undefined if it is not trusted. */
  documentOf(hash: string): DocumentNode | undefined {
    return this.#byHash.get(hash)?.document;
  }

  /** Returns the id in the manifest of the document with this hash of its text. Throws DOCUMENT_NOT_TRUSTED for another document in the mode `only`. */
  idOf(hash: string): string | undefined {
    const trusted = this.#byHash.get(hash);
    if (trusted || this.#mode !== 'only') return trusted?.id;
    const message = 'This server executes only trusted documents. Send the `documentId` of one, or exactly its text.';
    throw new GraphError('DOCUMENT_NOT_TRUSTED', message);
  }

  /**
   * Replaces the id that a request has in place of its text, as `documentId` or as the hash of Apollo's clients. Throws DOCUMENT_NOT_TRUSTED for an unknown
   * `documentId`, and PERSISTED_QUERY_NOT_SUPPORTED for an unknown hash, after which these clients send the text.
   */
  withText(request: GraphRequest): GraphRequest {
    const { query, documentId, extensions } = request;
    const { persistedQuery, ...others } = (extensions ?? {}) as { readonly persistedQuery?: unknown };
    // Apollo Server rejects the hash, also beside the text.
    if (query !== '') return persistedQuery === undefined ? request : { ...request, extensions: others };
    const { sha256Hash } = (persistedQuery ?? {}) as { readonly sha256Hash?: unknown };
    const id = documentId ?? sha256Hash;
    const trusted = typeof id === 'string' ? (this.#byId.get(id) ?? this.#byId.get(HASH_PREFIX + id)) : undefined;
    if (trusted) return { ...request, query: trusted.text, extensions: others };
    if (documentId !== undefined) {
      const problem =
        this.#byId.size === 0
          ? 'no trusted documents. Send the text of the document as `query`.'
          : 'no trusted document with this `documentId`. Send the id of a document in its manifest.';
      throw new GraphError('DOCUMENT_NOT_TRUSTED', `The server has ${problem}`);
    }
    // Clients recognize this message and repeat the request with the whole document.
    if (typeof persistedQuery === 'object' && persistedQuery !== null)
      throw new GraphError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
    return request;
  }
}

function parseTrusted(id: string, text: string, parse: (text: string) => DocumentNode): DocumentNode {
  try {
    return parse(text);
  } catch (cause) {
    const { errors = [cause] } = cause as { readonly errors?: readonly unknown[] };
    throw invalidDocumentError(id, `is invalid: ${(errors[0] as Error).message}`, cause);
  }
}

const invalidDocumentError = (id: string, problem: string, cause?: unknown): GraphError =>
  new GraphError('BAD_USER_INPUT', `The document "${id}" of TRUSTED_DOCUMENTS_FILE ${problem.replace(/\.$/, '')}.`, { cause });

import type { OperationDefinitionNode } from 'graphql';
import { JsonText, type SerializedResult } from '../graphql/executor/index.ts';
import type { JsonChunks } from '../graphql/executor/json-output.ts';
import type { Operation } from './operation.ts';
import type { PreparedOperation } from './request.ts';
import type { ResponseDependencies } from './response-dependencies.ts';
import { verificationKey } from './trust.ts';

/** The store of cached responses, and the state that they depend on besides the document and its variables. */
export interface ResponseStore {
  /**
   * The state that a response belongs to, such as the head; undefined while the state is unknown; then nothing is
   * cached.
   */
  scopeOf(operation: Operation): string | undefined;
  get(key: string): unknown;
  set(key: string, value: unknown): void;
}

interface CachedResponse {
  readonly chunks: JsonChunks;
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly dependencies: ResponseDependencies;
}

export type CacheableRequest = Pick<PreparedOperation, 'hash' | 'operation' | 'variables' | 'verify'>;

export type ResponseCache = ReturnType<typeof createResponseCache>;

/**
 * Minimum length of a cached response: executing an operation with a shorter response again takes no longer than a
 * cache lookup.
 */
const MIN_CACHED_BYTES = 4_096;
/** Maximum length of variables as JSON; responses to requests with longer variables are not cached. */
const MAX_VARIABLES_CHARS = 1_024;

/**
 * Caches responses that depend on the head alone, until the head changes. Does not cache an operation that read anything else
 * (`ResponseDependencies.isVolatile`) or that has errors. The key does not include the caller: values that depend on the caller are volatile.
 */
export function createResponseCache({ scopeOf, get, set }: ResponseStore) {
  /** Operations with a cached response. For other operations no key is computed. */
  const cachedOperations = new WeakSet<OperationDefinitionNode>();

  const keyOf = ({ hash, operation, variables, verify }: CacheableRequest, state: Operation): string | undefined => {
    const scope = scopeOf(state);
    const variablesText = JSON.stringify(variables ?? {});
    if (scope === undefined || variablesText.length > MAX_VARIABLES_CHARS) return undefined;
    return `response ${scope} ${hash} ${operation.name?.value ?? ''} ${verificationKey(verify)} ${variablesText}`;
  };

  return {
    /**
     * Returns the cached response of an equal request at the current head, and sets the extensions and dependencies of
     * `state`.
     */
    find(request: CacheableRequest, state: Operation): SerializedResult | undefined {
      const key = cachedOperations.has(request.operation) ? keyOf(request, state) : undefined;
      const response = key === undefined ? undefined : (get(key) as CachedResponse | undefined);
      if (!response) return undefined;
      Object.assign(state.extensions, response.extensions);
      state.dependencies = response.dependencies;
      return { data: new JsonText(response.chunks) };
    },

    /** Caches a response that is valid until the head changes. */
    storeIfCacheable(request: CacheableRequest, state: Operation, { data, errors }: SerializedResult): void {
      const { operation } = request;
      if (!data || errors || state.dependencies.isVolatile) return;
      if (data.byteLength < MIN_CACHED_BYTES || operation.operation !== 'query') return;
      const block = state.extensions.block as { readonly hash?: string } | undefined;
      const key = keyOf(request, state);
      // The head may have changed since the operation read it.
      if (key === undefined || (block && block.hash !== scopeOf(state))) return;
      cachedOperations.add(operation);
      const { extensions, dependencies } = state;
      set(key, { chunks: data.chunks, extensions: { ...extensions }, dependencies } satisfies CachedResponse);
    },
  };
}

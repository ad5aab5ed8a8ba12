import type { OperationDefinitionNode } from 'graphql';
import type { Operation } from '../domain.ts';
import { JsonText, type SerializedResult } from '../executor/index.ts';

/** Where answers are kept, and what they depend on beside the document and its variables. */
export interface ResponseStore {
  /** The state of the world that an answer belongs to; undefined while it is not known, and nothing is kept then. */
  scopeOf(operation: Operation): string | undefined;
  get(key: string): unknown;
  set(key: string, value: unknown): void;
}

/** An answer as it was given. */
interface CachedResponse {
  readonly text: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

export interface CacheableRequest {
  readonly operation: OperationDefinitionNode;
  /** Names the document. */
  readonly queryHash: string | undefined;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly operationState: Operation;
}

/** Shorter answers are written again as fast as they are found. */
const MIN_CACHED_CHARS = 4_096;
/** Longer variables are not worth being compared. */
const MAX_VARIABLES_CHARS = 1_024;

/**
 * Answers that were made of facts alone, for as long as the head is the one they were made at: the same question again is not
 * worked out again. An operation that has read anything else (`Operation.isVolatile`), or has failed in part, is not kept. Nothing of
 * the caller is in the key: what differs from caller to caller is volatile.
 */
export function createResponseCache({ scopeOf, get, set }: ResponseStore) {
  /** Operations of which an answer was kept; the others are not looked for. */
  const kept = new WeakSet<OperationDefinitionNode>();

  const keyOf = ({ queryHash, operationName, variables, operationState }: CacheableRequest): string | undefined => {
    const scope = scopeOf(operationState);
    const given = JSON.stringify(variables ?? {});
    if (scope === undefined || queryHash === undefined || given.length > MAX_VARIABLES_CHARS) return undefined;
    return `answer ${scope} ${queryHash} ${operationName ?? ''} ${given}`;
  };

  return {
    /** The answer to the same question at the same head. */
    find(question: CacheableRequest): SerializedResult | undefined {
      const key = kept.has(question.operation) ? keyOf(question) : undefined;
      const answer = key === undefined ? undefined : (get(key) as CachedResponse | undefined);
      if (!answer) return undefined;
      Object.assign(question.operationState.extensions, answer.extensions);
      return { data: new JsonText(answer.text) };
    },

    /** Keeps an answer if it will be the same as long as the head is. */
    storeIfCacheable(question: CacheableRequest, { data, errors }: SerializedResult): void {
      const { operationState, operation } = question;
      if (!data || errors || operationState.isVolatile || data.text.length < MIN_CACHED_CHARS || operation.operation !== 'query')
        return;
      const block = operationState.extensions.block as { readonly hash?: string } | undefined;
      const key = keyOf(question);
      // The head may have moved since the operation took its own.
      if (key === undefined || (block && block.hash !== scopeOf(operationState))) return;
      kept.add(operation);
      set(key, { text: data.text, extensions: { ...operationState.extensions } } satisfies CachedResponse);
    },
  };
}

import type { OperationDefinitionNode } from 'graphql';
import type { Operation } from '../domain.ts';
import { JsonText, type WrittenResult } from '../executor/index.ts';

/** Where answers are kept, and what they depend on beside the document and its variables. */
export interface AnswerStore {
  /** The state of the world that an answer belongs to; undefined while it is not known, and nothing is kept then. */
  scopeOf(operation: Operation): string | undefined;
  get(key: string): unknown;
  keep(key: string, value: unknown): void;
}

/** An answer as it was given. */
interface KeptAnswer {
  readonly text: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

export interface Question {
  readonly operation: OperationDefinitionNode;
  /** Names the document. */
  readonly queryHash: string | undefined;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly of: Operation;
}

/** Shorter answers are written again as fast as they are found. */
const SHORTEST = 4_096;
/** Longer variables are not worth being compared. */
const LONGEST_VARIABLES = 1_024;

/**
 * Answers that were made of facts alone, for as long as the head is the one they were made at: the same question again is not
 * worked out again. An operation that has read anything else (`Operation.isVolatile`), or has failed in part, is not kept. Nothing of
 * the caller is in the key: what differs from caller to caller is volatile.
 */
export function answerMemory({ scopeOf, get, keep }: AnswerStore) {
  /** Operations of which an answer was kept; the others are not looked for. */
  const kept = new WeakSet<OperationDefinitionNode>();

  const keyOf = ({ queryHash, operationName, variables, of }: Question): string | undefined => {
    const scope = scopeOf(of);
    const given = JSON.stringify(variables ?? {});
    if (scope === undefined || queryHash === undefined || given.length > LONGEST_VARIABLES) return undefined;
    return `answer ${scope} ${queryHash} ${operationName ?? ''} ${given}`;
  };

  return {
    /** The answer to the same question at the same head. */
    find(question: Question): WrittenResult | undefined {
      const key = kept.has(question.operation) ? keyOf(question) : undefined;
      const answer = key === undefined ? undefined : (get(key) as KeptAnswer | undefined);
      if (!answer) return undefined;
      Object.assign(question.of.extensions, answer.extensions);
      return { data: new JsonText(answer.text) };
    },

    /** Keeps an answer if it will be the same as long as the head is. */
    consider(question: Question, { data, errors }: WrittenResult): void {
      const { of, operation } = question;
      if (!data || errors || of.isVolatile || data.text.length < SHORTEST || operation.operation !== 'query') return;
      const block = of.extensions.block as { readonly hash?: string } | undefined;
      const key = keyOf(question);
      // The head may have moved since the operation took its own.
      if (key === undefined || (block && block.hash !== scopeOf(of))) return;
      kept.add(operation);
      keep(key, { text: data.text, extensions: { ...of.extensions } } satisfies KeptAnswer);
    },
  };
}

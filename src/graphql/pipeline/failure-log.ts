import { GraphQLError } from 'graphql';
import { formatError, rootCause } from './format-error.ts';

/** What failures are written to. */
export interface FailureLog {
  error(detail: object, message: string): void;
}

/** Logs failures that are ours, with their reason. */
export function logFailures(log: FailureLog, errors: readonly GraphQLError[], requestId: string): void {
  for (const error of errors) {
    if (formatError(error.toJSON(), error).extensions?.code !== 'INTERNAL_SERVER_ERROR') continue;
    log.error({ err: rootCause(error), path: error.path, requestId }, 'operation failed');
  }
}

/** Anything that was thrown, as graphql-js carries it. */
export const asGraphQLError = (error: unknown): GraphQLError =>
  error instanceof GraphQLError
    ? error
    : new GraphQLError('', { originalError: error instanceof Error ? error : new Error(String(error)) });

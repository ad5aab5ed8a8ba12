import { GraphQLError } from 'graphql';
import { formatError, rootCause } from './format-error.ts';

/** The part of the logger that failures are written to. */
export interface FailureLog {
  error(detail: object, message: string): void;
}

/** Logs the errors that clients see as INTERNAL_SERVER_ERROR, with their causes. */
export function logFailures(log: FailureLog, errors: readonly GraphQLError[], requestId: string): void {
  for (const error of errors) {
    if (formatError(error.toJSON(), error).extensions?.code !== 'INTERNAL_SERVER_ERROR') continue;
    log.error({ err: rootCause(error), path: error.path, requestId }, 'operation failed');
  }
}

/** Wraps any thrown value in a GraphQLError; its message is replaced when it is formatted. */
export const asGraphQLError = (error: unknown): GraphQLError =>
  error instanceof GraphQLError
    ? error
    : new GraphQLError('', { originalError: error instanceof Error ? error : new Error(String(error)) });

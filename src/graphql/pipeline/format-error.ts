import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type ErrorCode, errorCodes, GraphError, isErrorCode } from '../../errors.ts';
import { MAX_VALIDATION_ERRORS } from './documents.ts';
import { tokenLimitError } from './limits/document-limits.ts';

/** What graphql-js says when a resolved value does not fit the schema: the node's value, since all values come from there. */
const RESULT_MISMATCH =
  /^(?:Cannot return null for non-nullable field (\w+\.\w+)\.|Expected Iterable, but did not find one for field "(\w+\.\w+)")/;
const LEAF_MISMATCH = / cannot represent /;
/** What it says of a document that is valid until its variables are known: a null where the argument takes none. */
const MISSING_ARGUMENT = /^Argument "\w+" of (?:non-null|required) type /;
/** What it says instead of the rest, when variables or a document have more errors than it is to find. */
const TOO_MANY_IN_VARIABLES = /^Too many errors processing variables/;
const TOO_MANY_IN_DOCUMENT = /^Too many validation errors/;
const MISSING_ROOT_TYPE = /^Schema is not configured to execute (\w+) operation/;

/** What is kept of a library's message: where it begins, and the end, which says what would be right. */
const MESSAGE_HEAD_CHARS = 100;
const MESSAGE_TAIL_CHARS = 180;
/** An error about a document can name every place in it. */
const MAX_LOCATIONS = 4;

/** A message that quotes no more than a little of what the client sent. */
const truncateMessage = (message: string): string =>
  message.length <= MESSAGE_HEAD_CHARS + MESSAGE_TAIL_CHARS
    ? message
    : `${message.slice(0, MESSAGE_HEAD_CHARS)} … ${message.slice(-MESSAGE_TAIL_CHARS)}`;

/** The error at the root of one that Apollo or graphql-js has wrapped. */
export function rootCause(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError ? rootCause(error.originalError) : error;
}

/** The expected failure that an error stands for; anything unforeseen becomes INTERNAL_SERVER_ERROR with a fixed text. */
export function toGraphError(error: unknown): GraphError {
  const root = rootCause(error);
  if (root instanceof GraphError) return root;
  const message = root instanceof Error ? root.message : '';
  if (MISSING_ARGUMENT.test(message)) return new GraphError('BAD_USER_INPUT', truncateMessage(message));
  if (TOO_MANY_IN_VARIABLES.test(message)) return tooManyErrors('BAD_USER_INPUT', 'The variables have');
  const missing = MISSING_ROOT_TYPE.exec(message);
  if (missing) return new GraphError('OPERATION_RESOLUTION_FAILURE', `This graph has no ${missing[1]} operations.`);
  const misfit = RESULT_MISMATCH.exec(message);
  if (misfit) {
    const field = misfit[1] ?? misfit[2];
    return new GraphError('UPSTREAM_BAD_RESPONSE', `The node's answer has nothing fit for ${field}.`, { cause: root });
  }
  if (LEAF_MISMATCH.test(message)) {
    return new GraphError('UPSTREAM_BAD_RESPONSE', 'The node sent a value of another kind than this field has.', { cause: root });
  }
  return new GraphError('INTERNAL_SERVER_ERROR', 'Something went wrong in this server.', { cause: root });
}

/**
 * The error as a client sees it: a code of the closed list, and nothing of a library's own texts unless they are about the
 * client's own document.
 */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { locations, path } = formatted;
  const place = { ...(locations && { locations: locations.slice(0, MAX_LOCATIONS) }), ...(path && { path }) };
  const code = formatted.extensions?.code;
  const root = rootCause(error);
  if (!(root instanceof GraphError) && isErrorCode(code) && code !== 'INTERNAL_SERVER_ERROR') {
    const { retryable, source } = errorCodes[code];
    const refusal =
      root instanceof RangeError
        ? new GraphError('QUERY_TOO_COMPLEX', NESTED_TOO_DEEPLY)
        : limitErrorOf(error, formatted.message);
    if (refusal) return { message: refusal.message, extensions: { ...refusal.extensions } };
    return { message: truncateMessage(formatted.message), ...place, extensions: { code, retryable, source } };
  }
  const { message, extensions } = toGraphError(error);
  // A copy: one failure of the node can stand behind many errors, of several requests.
  return { message, ...place, extensions: { ...extensions } };
}

const NESTED_TOO_DEEPLY =
  'The document is nested too deeply to be read; MAX_DEPTH limits its levels of fields, MAX_TOKENS its length.';

/** What is said instead of errors that were not looked for, or of a parser that has stopped. */
function limitErrorOf(error: unknown, message: string): GraphError | undefined {
  if (TOO_MANY_IN_DOCUMENT.test(message)) return tooManyErrors('GRAPHQL_VALIDATION_FAILED', 'The document has');
  return error instanceof GraphQLError ? tokenLimitError(error.message, error.source) : undefined;
}

const tooManyErrors = (code: ErrorCode, subject: string): GraphError =>
  new GraphError(
    code,
    `${subject} more than ${MAX_VALIDATION_ERRORS} errors; only the first ${MAX_VALIDATION_ERRORS} are listed.`,
    { limit: MAX_VALIDATION_ERRORS },
  );

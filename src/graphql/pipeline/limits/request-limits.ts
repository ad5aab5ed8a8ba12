import { GraphError } from '../../../errors.ts';
import { MAX_VALUE_DEPTH } from './document-limits.ts';

/** GraphQL names of at most 128 characters. */
const OPERATION_NAME_PATTERN = /^[_A-Za-z][_0-9A-Za-z]{0,127}$/;

/** Rejects an invalid operation name, and variables or extensions that are nested too deeply. */
export function checkRequestParameters(operationName: string | undefined, variables: unknown, extensions: unknown): void {
  if (operationName !== undefined && !OPERATION_NAME_PATTERN.test(operationName)) {
    throw new GraphError('OPERATION_RESOLUTION_FAILURE', 'Invalid operation name. Use a GraphQL name of at most 128 characters.');
  }
  const depth = Math.max(nestingDepth(variables), nestingDepth(extensions)) - 1;
  if (depth <= MAX_VALUE_DEPTH) return;
  const message = `The variables have ${depth} levels of lists and objects and the limit is ${MAX_VALUE_DEPTH}.`;
  throw new GraphError('QUERY_TOO_COMPLEX', message, { limit: MAX_VALUE_DEPTH, actual: depth });
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Returns the nesting of lists and objects. Iterates by level, since recursion could overflow the stack. */
function nestingDepth(value: unknown): number {
  let depth = 0;
  for (let level = [value].filter(isNested); level.length > 0; depth++) {
    level = level.flatMap((one) => Object.values(one)).filter(isNested);
  }
  return depth;
}

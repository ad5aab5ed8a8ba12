import { GraphError } from '../../../errors.ts';
import { isChecksummedAddress } from '../../scalars.ts';
import { MAX_CHECKSUMS, MAX_VALUE_DEPTH } from './document-limits.ts';

/** GraphQL names of at most 128 characters. */
const OPERATION_NAME_PATTERN = /^[_A-Za-z][_0-9A-Za-z]{0,127}$/;

/** Values in the lists and objects of the variables. 256 KiB hold fewer addresses or hashes; coercing these takes about 20 ms. */
const MAX_VALUES = 10_000;
/** The error of graphql-js for an invalid object quotes all of its properties, once for each error. */
const MAX_PROPERTIES = 250;

/** Rejects an invalid operation name, and variables or extensions that are nested too deeply or have too many values. */
export function checkRequestParameters(operationName: string | undefined, variables: unknown, extensions: unknown): void {
  if (operationName !== undefined && !OPERATION_NAME_PATTERN.test(operationName)) {
    throw new GraphError('OPERATION_RESOLUTION_FAILURE', 'Invalid operation name. Use a GraphQL name of at most 128 characters.');
  }
  checkValues(variables);
  checkValues(extensions);
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Checks the nested values of the variables or the extensions. Iterates by level, since recursion could overflow the stack. */
function checkValues(root: unknown): void {
  let depth = 0;
  let values = 0;
  let checksums = 0;
  for (let level = [root].filter(isNested); level.length > 0; depth++) {
    const next: object[] = [];
    for (const container of level) {
      const parts = Object.values(container);
      values += parts.length;
      if (values > MAX_VALUES) throw limitError('values', values, MAX_VALUES);
      if (depth > 0 && !Array.isArray(container) && parts.length > MAX_PROPERTIES)
        throw limitError('properties in one object', parts.length, MAX_PROPERTIES);
      for (const part of parts) {
        if (isNested(part)) next.push(part);
        else if (isChecksummedAddress(part)) checksums += 1;
      }
      if (checksums > MAX_CHECKSUMS) throw limitError('addresses with a checksum', checksums, MAX_CHECKSUMS);
    }
    level = next;
  }
  if (depth - 1 > MAX_VALUE_DEPTH) throw limitError('levels of lists and objects', depth - 1, MAX_VALUE_DEPTH);
}

const limitError = (counted: string, actual: number, limit: number): GraphError =>
  new GraphError('QUERY_TOO_COMPLEX', `The variables have ${actual} ${counted} and the limit is ${limit}.`, { limit, actual });

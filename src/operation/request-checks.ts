import { type FieldNode, Kind, type OperationDefinitionNode, valueFromASTUntyped } from 'graphql';
import { isChecksummedAddress } from '../ethereum/address.ts';
import { isNullish } from '../ethereum/block-results.ts';
import { isBlockHash, quantityOf, toQuantity } from '../ethereum/hex.ts';
import type { PricedOperation } from '../graphql/cost/operation-reader.ts';
import { rootFieldNodes } from '../graphql/selection.ts';
import { STREAM_ARGUMENT } from '../graphql/stream.ts';
import { MAX_CHECKSUMS, MAX_VALUE_DEPTH } from '../graphql/validation/document-limits.ts';
import { GraphError } from '../lib/errors.ts';
import type { RequestOptions } from './request.ts';
import { parseVerification } from './trust.ts';

/** Parses a minimum height, which `name` sends. Throws BAD_USER_INPUT unless it is an integer of 64 bits in a form of the scalar `Long`. */
export function parseMinBlock(value: unknown, name: string): bigint {
  const quantity = toQuantity(value, 64);
  if (quantity !== undefined) return BigInt(quantity);
  const advice = 'Send a block number below 2^64 in decimal or 0x-hex, for example 42, "42" or "0x2a"; above 2^53 as a string.';
  throw new GraphError('BAD_USER_INPUT', `Invalid ${name}. ${advice}`);
}

/**
 * Returns the minimum height that a request requires: the higher height of the header and of `extensions.minBlock`;
 * undefined if neither is given. Throws BAD_USER_INPUT if it is invalid or above the height that the request pins.
 */
export function requiredMinBlock({ minBlock: given, block }: Pick<RequestOptions, 'minBlock' | 'block'>, extensions: unknown) {
  const { minBlock: value } = (extensions ?? {}) as { readonly minBlock?: unknown };
  const fromExtensions = value === undefined || value === null ? undefined : parseMinBlock(value, '`extensions.minBlock`');
  const isHigher = given === undefined || (fromExtensions !== undefined && fromExtensions > given);
  const minBlock = isHigher ? fromExtensions : given;
  if (minBlock !== undefined && block !== undefined && !isBlockHash(block) && BigInt(block) < minBlock)
    throw belowMinBlockError(minBlock, block);
  return minBlock;
}

/** Returns what the header and `extensions.verify` ask to verify together; undefined if they ask for nothing. Throws BAD_USER_INPUT for an invalid list. */
export function requestedVerification({ verify }: Pick<RequestOptions, 'verify'>, extensions: unknown) {
  const { verify: value } = (extensions ?? {}) as { readonly verify?: unknown };
  const fromExtensions = parseVerification(value, '`extensions.verify`');
  return verify && fromExtensions ? new Set([...verify, ...fromExtensions]) : (verify ?? fromExtensions);
}

/** The error of a request that pins a block below its own minimum. */
export function belowMinBlockError(minBlock: bigint, height: string): GraphError {
  const advice = 'Name a block of at least this height, or send one of the two.';
  const message = `The block of x-graph-block is below x-graph-min-block. ${advice}`;
  return new GraphError('BAD_USER_INPUT', message, { minBlock: quantityOf(minBlock), height });
}

/**
 * Returns what needs a caller in an operation: the argument of a named stream, or the first root field that is in `authenticatedFields`, such as
 * `Query.webhookEvents`; undefined if nothing does.
 */
export function findAuthenticatedField(
  { schema, document, operation, variables }: PricedOperation,
  authenticatedFields: ReadonlySet<string> = new Set(),
): string | undefined {
  const type = schema.getRootType(operation.operation)?.name;
  const fields = rootFieldNodes(operation, document);
  const named = operation.operation === 'subscription' && fields.find((field) => namesStream(field, operation, variables));
  if (named) return `The argument stream of ${type}.${named.name.value}`;
  const authenticated = fields.find(({ name }) => authenticatedFields.has(`${type}.${name.value}`));
  return authenticated && `${type}.${authenticated.name.value}`;
}

function namesStream(
  { arguments: args = [] }: FieldNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: PricedOperation['variables'],
): boolean {
  const given = args.find(({ name }) => name.value === STREAM_ARGUMENT)?.value;
  if (given?.kind !== Kind.VARIABLE || Object.hasOwn(variables, given.name.value))
    return given !== undefined && !isNullish(valueFromASTUntyped(given, variables));
  const definition = variableDefinitions.find(({ variable }) => variable.name.value === given.name.value);
  return definition?.defaultValue !== undefined && definition.defaultValue.kind !== Kind.NULL;
}

/** UNAUTHENTICATED: the subject, such as a field, needs a caller. */
export function missingCallerError(subject: string): GraphError {
  const advice =
    'Send an API key or a token in the header authorization (Bearer) or x-api-key; on a WebSocket, in connection_init.';
  return new GraphError('UNAUTHENTICATED', `${subject} needs a caller. ${advice}`);
}

/** GraphQL names of at most 128 characters. */
const OPERATION_NAME_PATTERN = /^[_A-Za-z][_0-9A-Za-z]{0,127}$/;

/**
 * Values in the lists and objects of the variables. A request of 256 KiB has fewer addresses or hashes. Coercing this
 * number of values takes about 20 ms.
 */
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

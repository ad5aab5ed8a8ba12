import { type FieldNode, Kind, type OperationDefinitionNode, valueFromASTUntyped } from 'graphql';
import { isChecksummedAddress } from '../ethereum/address.ts';
import { isNullish } from '../ethereum/block-results.ts';
import { isBlockHash, type Quantity, quantityOf, toData, toQuantity } from '../ethereum/hex.ts';
import type { PricedOperation } from '../graphql/cost/operation-reader.ts';
import { rootFieldNodes } from '../graphql/selection.ts';
import { STREAM_ARGUMENT } from '../graphql/stream.ts';
import { MAX_CHECKSUMS, MAX_VALUE_DEPTH } from '../graphql/validation/document-limits.ts';
import { GraphError } from '../lib/errors.ts';
import type { BlockRequest, BlocksOfChains } from './operation.ts';
import type { RequestOptions } from './request.ts';
import { parseVerification } from './trust.ts';

/** Parses a minimum height, which `name` sends. Throws BAD_USER_INPUT unless it is an integer of 64 bits in a form of the scalar `Long`. */
function parseMinBlock(value: unknown, name: string): bigint {
  const quantity = toQuantity(value, 64);
  if (quantity !== undefined) return BigInt(quantity);
  const advice = 'Send a block number below 2^64 in decimal or 0x-hex, for example 42, "42" or "0x2a"; above 2^53 as a string.';
  throw new GraphError('BAD_USER_INPUT', `Invalid ${name}. ${advice}`);
}

/** Parses a block, which `name` sends, to a hash or a number in 0x-hex. Throws BAD_USER_INPUT for another value. */
export function parseBlock(value: unknown, name: string): string {
  const block = toData(value, 32) ?? toQuantity(value, 64);
  if (block !== undefined) return block;
  throw new GraphError('BAD_USER_INPUT', `Invalid ${name}. Send a block hash, or a block number in decimal or 0x-hex.`);
}

/** Values of chains by id; the value of the default chain has no id. */
type ValuesOfChains<Value> = ReadonlyMap<Quantity | undefined, Value>;

/** Maximum number of chains whose values a text has. */
const MAX_NAMED_CHAINS = 64;

const NO_VALUES = new Map();

/**
 * Parses a value of the default chain, and values of other chains with their ids: `42, 10=0x2a`. Throws BAD_USER_INPUT for an invalid chain id, a chain
 * that is named twice, and the errors of `parse`.
 */
export function parseValuesOfChains<Value>(
  given: unknown,
  name: string,
  parse: (value: unknown, name: string) => Value,
): ValuesOfChains<Value> {
  if (isNullish(given) || given === '') return NO_VALUES;
  const values = new Map<Quantity | undefined, Value>();
  for (const item of typeof given === 'string' ? given.split(',', MAX_NAMED_CHAINS + 1) : [given]) {
    const text = typeof item === 'string' ? item : '';
    const end = text.indexOf('=');
    const [id, value] = end < 0 ? [undefined, item] : [text.slice(0, end), text.slice(end + 1)];
    const chainId = id === undefined ? undefined : toQuantity(id.trim(), 64);
    if ((id !== undefined && chainId === undefined) || values.has(chainId) || values.size === MAX_NAMED_CHAINS) {
      const advice = `Name each of at most ${MAX_NAMED_CHAINS} chains once: the value of the default chain, then id=value of others, as "42, 10=0x2a".`;
      throw new GraphError('BAD_USER_INPUT', `Invalid ${name}. ${advice}`);
    }
    values.set(chainId, parse(typeof value === 'string' ? value.trim() : value, name));
  }
  return values;
}

/** Parses the minimum heights that `name` sends, as `parseValuesOfChains`. */
export const parseMinBlocks = (given: unknown, name: string): ValuesOfChains<bigint> =>
  parseValuesOfChains(given, name, parseMinBlock);

/** Returns the requested blocks of other chains than the default one; undefined for none. */
export function blocksOfChains(blocks: ValuesOfChains<string>, minBlocks: ValuesOfChains<bigint>): BlocksOfChains | undefined {
  if (blocks.size === 0 && minBlocks.size === 0) return undefined;
  const requests = new Map<Quantity, BlockRequest>();
  for (const id of [...blocks.keys(), ...minBlocks.keys()])
    if (id !== undefined) requests.set(id, { block: blocks.get(id), minBlock: minBlocks.get(id) });
  return requests.size === 0 ? undefined : requests;
}

const NO_BLOCKS: Pick<BlockRequest, 'minBlock'> & { readonly blocks?: BlocksOfChains | undefined } = {};

/**
 * Returns the blocks that a request requires: the higher minimum height of the header and of `extensions.minBlock`, for each chain. Throws BAD_USER_INPUT
 * if a height is invalid or above the height that the request pins.
 */
export function requiredBlocks(
  options: Pick<RequestOptions, 'block' | 'minBlock' | 'blocks'>,
  extensions: unknown,
): typeof NO_BLOCKS {
  const { minBlock: value } = (extensions ?? {}) as { readonly minBlock?: unknown };
  if (isNullish(value) && options.blocks === undefined && options.minBlock === undefined) return NO_BLOCKS;
  const given = parseMinBlocks(value, '`extensions.minBlock`');
  const blocks = new Map<Quantity | undefined, BlockRequest>(options.blocks);
  blocks.set(undefined, options);
  for (const [id, minBlock] of given) {
    const required = blocks.get(id);
    const isHigher = required?.minBlock === undefined || minBlock > required.minBlock;
    if (isHigher) blocks.set(id, { block: required?.block, minBlock });
  }
  for (const { block, minBlock } of blocks.values())
    if (minBlock !== undefined && block !== undefined && !isBlockHash(block) && BigInt(block) < minBlock)
      throw belowMinBlockError(minBlock, block);
  const { minBlock } = blocks.get(undefined)!;
  blocks.delete(undefined);
  return { minBlock, blocks: blocks.size === 0 ? undefined : (blocks as BlocksOfChains) };
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

import type { SeedFacts } from './facts.ts';

/**
 * A coordinate of the seed mapping, the path of selections to its value, and the value by the JSON-RPC interface of the node. Variables in the
 * path are variables of the facts.
 */
export type SeedRow = readonly [coordinate: string, path: readonly string[], expected: (facts: SeedFacts) => unknown];

/** The types of the variables of the rows. */
export const VARIABLE_TYPES: Readonly<Record<string, string>> = {
  number: 'Long',
  blockHash: 'Bytes32',
  index: 'Long!',
  transaction: 'Bytes32!',
  creation: 'Bytes32!',
  pending: 'Bytes32!',
  owner: 'Address!',
  spender: 'Address!',
  token: 'Address!',
  tokens: '[Address!]!',
  slot: 'Bytes32!',
  slots: '[Bytes32!]!',
  mappingSlot: 'BigInt!',
  mappingKeys: '[Bytes!]!',
  transferCall: 'CallData!',
  callTo: 'CallData!',
  callFrom: 'CallData!',
  callGas: 'CallData!',
  callGasPrice: 'CallData!',
  callValue: 'CallData!',
  callData: 'CallData!',
  noFilter: 'BlockFilterCriteria!',
  fromBlock: 'FilterCriteria!',
  toBlock: 'FilterCriteria!',
  addresses: 'FilterCriteria!',
  topics: 'FilterCriteria!',
  ofBlock: 'FilterCriteria!',
  fromTag: 'FilterCriteria!',
  toTag: 'FilterCriteria!',
  toPending: 'FilterCriteria!',
  afterHead: 'Bytes32',
  afterLog: 'String',
  ofToken: 'LogSubscriptionFilter',
  ofSender: 'LogSubscriptionFilter',
  raw: 'Bytes!',
  submission: 'SubmitTransactionInput!',
};

/** The operation of a path. It declares the variables that the path uses. */
export function operationOf(type: 'query' | 'mutation' | 'subscription', path: readonly string[]): string {
  const text = `{ ${path.join(' { ')} ${'}'.repeat(path.length)}`;
  const names = [...new Set([...text.matchAll(/\$(\w+)/g)].map(([, name]) => name!))];
  const declarations = names.map((name) => `$${name}: ${VARIABLE_TYPES[name]}`).join(', ');
  return `${type} ${declarations && `(${declarations})`} ${text}`;
}

/** The value at the end of a path; below a list, the list of the values. A fragment is no level of the data. */
export function valueAt(data: any, path: readonly string[]): unknown {
  if (data === null || data === undefined || path.length === 0) return data;
  if (Array.isArray(data)) return data.map((item) => valueAt(item, path));
  if (path[0]!.startsWith('...')) return valueAt(data, path.slice(1));
  const [name] = /^\w+/.exec(path[0]!)!;
  return valueAt(data[name], path.slice(1));
}

/** A value of 32 bytes or a number as a quantity. */
export const quantityOfWord = (value: string): string => `0x${BigInt(value).toString(16)}`;

/** The items of a list with one property, or null for a missing one. */
export const pluck = (name: string, items: readonly any[]): unknown[] => items.map((item) => item[name] ?? null);

/** One row for each field with the same name as a property. */
export const equalRows = (
  type: string,
  path: readonly string[],
  of: (facts: SeedFacts) => any,
  names: Readonly<Record<string, string>>,
): SeedRow[] =>
  Object.entries(names).map(([field, property]) => [
    `${type}.${field}`,
    [...path, field],
    (facts) => of(facts)[property] ?? null,
  ]);

import type { SeedFacts } from './facts.ts';

/**
 * A coordinate of the seed mapping, the path of selections to its value, and the value by the JSON-RPC interface of the node. Variables in the
 * path are variables of the facts.
 */
export type SeedRow = readonly [coordinate: string, path: readonly string[], expected: (facts: SeedFacts) => unknown];

/** The types of the variables of the rows. */
const VARIABLES_BY_TYPE: Readonly<Record<string, string>> = {
  Long: 'number',
  'Long!': 'index',
  Bytes32: 'blockHash afterHead',
  'Bytes32!': 'transaction creation pending slot',
  '[Bytes32!]!': 'slots',
  'Address!': 'owner spender token',
  '[Address!]!': 'tokens',
  'BigInt!': 'mappingSlot',
  '[Bytes!]!': 'mappingKeys',
  'CallData!': 'transferCall callTo callFrom callGas callGasPrice callValue callData',
  'BlockFilterCriteria!': 'noFilter',
  'FilterCriteria!': 'fromBlock toBlock addresses topics ofBlock fromTag toTag toPending',
  String: 'afterLog',
  LogSubscriptionFilter: 'ofToken ofSender',
  'Bytes!': 'raw',
  'SubmitTransactionInput!': 'submission',
};
export const VARIABLE_TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(VARIABLES_BY_TYPE).flatMap(([type, names]) => names.split(' ').map((name) => [name, type])),
);

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

/** One row for each of these fields, and for those that the node has under another name. */
export const equalRows = (
  type: string,
  path: readonly string[],
  of: (facts: SeedFacts) => any,
  fields: string,
  renamed: Readonly<Record<string, string>> = {},
): SeedRow[] =>
  [...fields.split(' ').map((field) => [field, field] as const), ...Object.entries(renamed)].map(([field, property]) => [
    `${type}.${field}`,
    [...path, field],
    (facts) => of(facts)[property] ?? null,
  ]);

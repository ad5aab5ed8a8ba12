import type { SeedFacts } from './facts.ts';
import { pluck, type SeedRow } from './rows.ts';

const LOG = ['receipt(hash: $transaction)', 'logs'];
const ofReceipt = ({ receipt }: SeedFacts) => receipt.logs;

/** The data of the logs of the node that match a filter. */
const found = async ({ call }: SeedFacts, filter: Record<string, unknown>) => pluck('data', await call('eth_getLogs', filter));

/** A row for a field of a filter that the node has under another name or form. */
const filterRow = (field: string, variable: string, filterOf: (facts: SeedFacts) => Record<string, unknown>): SeedRow => [
  `FilterCriteria.${field}`,
  [`logs(filter: $${variable})`, 'data'],
  (facts) => found(facts, filterOf(facts)),
];

/** The block bounds of a filter that has the same names at the node. */
const boundsOf = (facts: SeedFacts, variable: string): { fromBlock: string; toBlock: string } => {
  const { fromBlock, toBlock } = facts.variables[variable] as { fromBlock: string; toBlock: string };
  return { fromBlock, toBlock };
};

/** Logs, and searches for logs. */
export const logRows: readonly SeedRow[] = [
  ['Log.account', [...LOG, 'account', 'address'], (facts) => pluck('address', ofReceipt(facts))],
  ['Log.topics', [...LOG, 'topics'], (facts) => pluck('topics', ofReceipt(facts))],
  ['Log.data', [...LOG, 'data'], (facts) => pluck('data', ofReceipt(facts))],
  ['Log.blockNumber', [...LOG, 'blockNumber'], (facts) => pluck('blockNumber', ofReceipt(facts))],
  ['Log.blockHash', [...LOG, 'blockHash'], (facts) => pluck('blockHash', ofReceipt(facts))],
  ['Log.block', [...LOG, 'block', 'stateRoot'], (facts) => ofReceipt(facts).map(() => facts.block.stateRoot)],
  ['Log.transactionHash', [...LOG, 'transactionHash'], (facts) => pluck('transactionHash', ofReceipt(facts))],
  ['Log.transaction', [...LOG, 'transaction', 'inputData'], (facts) => ofReceipt(facts).map(() => facts.transaction.input)],
  ['Log.transactionIndex', [...LOG, 'transactionIndex'], (facts) => pluck('transactionIndex', ofReceipt(facts))],
  ['Log.index', [...LOG, 'index'], (facts) => pluck('logIndex', ofReceipt(facts))],
  ['Log.removed', [...LOG, 'removed'], (facts) => pluck('removed', ofReceipt(facts))],
  ['Query.logs', ['logs(filter: $ofBlock)', 'topics'], ({ logs }) => pluck('topics', logs)],
  ['Query.logsConnection', ['logsConnection(filter: $ofBlock, first: 100)', 'nodes', 'data'], ({ logs }) => pluck('data', logs)],
  filterRow('fromBlock', 'fromBlock', ({ block }) => ({ fromBlock: block.number })),
  filterRow('toBlock', 'toBlock', ({ block }) => ({ fromBlock: '0x0', toBlock: block.number })),
  filterRow('fromBlockTag', 'fromTag', ({ block }) => ({ fromBlock: 'earliest', toBlock: block.number })),
  filterRow('toBlockTag', 'toTag', ({ block }) => ({ fromBlock: block.number, toBlock: 'latest' })),
  filterRow('toPending', 'toPending', ({ block }) => ({ fromBlock: block.number, toBlock: 'pending' })),
  filterRow('addresses', 'addresses', (facts) => ({
    ...boundsOf(facts, 'addresses'),
    address: (facts.variables.addresses as { addresses: string[] }).addresses,
  })),
  filterRow('topics', 'topics', (facts) => ({ ...boundsOf(facts, 'topics'), topics: [null, facts.receipt.logs[0].topics[1]] })),
  filterRow('blockHash', 'ofBlock', ({ block }) => ({ blockHash: block.hash })),
];

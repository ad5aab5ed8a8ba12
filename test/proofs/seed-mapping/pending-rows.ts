import type { SeedFacts } from './facts.ts';
import { pluck, type SeedRow } from './rows.ts';

const pendingBlock = ({ service }: SeedFacts) => service('eth_getBlockByNumber', 'pending', false);

const blockRow = (name: string): SeedRow => [
  `PendingBlock.${name}`,
  ['pending', 'block', name],
  async (facts) => (await pendingBlock(facts))[name] ?? null,
];

/** The pending block, with one transaction. */
export const pendingRows: readonly SeedRow[] = [
  ['Pending.block', ['pending', 'block', 'parentHash'], async (facts) => (await pendingBlock(facts)).parentHash],
  ...['number', 'hash', 'nonce', 'logsBloom'].map(blockRow),
  [
    'Pending.transactionCount',
    ['pending', 'transactionCount'],
    ({ service }) => service('eth_getBlockTransactionCountByNumber', 'pending'),
  ],
  ['Pending.transactionAt', ['pending', 'transactionAt(index: 0)', 'hash'], ({ pending }) => pending.hash],
  ['Pending.ommerCount', ['pending', 'ommerCount'], ({ service }) => service('eth_getUncleCountByBlockNumber', 'pending')],
  [
    'Pending.ommerAt',
    ['pending', 'ommerAt(index: 0)', 'hash'],
    ({ service }) => service('eth_getUncleByBlockNumberAndIndex', 'pending', '0x0'),
  ],
  [
    'Pending.call',
    ['pending', 'call(data: $transferCall)', 'data'],
    ({ service, variables }) => service('eth_call', variables.transferCall, 'pending'),
  ],
  [
    'Pending.estimateGas',
    ['pending', 'estimateGas(data: $transferCall)'],
    ({ service, variables }) => service('eth_estimateGas', variables.transferCall, 'pending'),
  ],
  [
    'Pending.logs',
    ['pending', 'logs(filter: $noFilter)', 'data'],
    // Anvil returns the logs of the head, which are not pending.
    async ({ service, newBlock }) => {
      const logs: any[] = await service('eth_getLogs', { fromBlock: 'pending', toBlock: 'pending' });
      return pluck(
        'data',
        logs.filter(({ blockHash }) => blockHash !== newBlock.hash),
      );
    },
  ],
];

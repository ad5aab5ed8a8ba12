import { equalRows, pluck, type SeedRow } from './rows.ts';

const BLOCK = 'block(number: $number)';
const MORE_FIELDS = 'extraData size gasLimit gasUsed timestamp mixHash';

/** The network, blocks and their contents. */
export const blockRows: readonly SeedRow[] = [
  ['Network.blockNumber', ['network', 'blockNumber'], ({ call }) => call('eth_blockNumber')],
  ['Query.block', ['block', 'hash'], ({ newBlock }) => newBlock.hash],
  ['Query.block(hash:)', ['block(hash: $blockHash)', 'stateRoot'], ({ block }) => block.stateRoot],
  ['Query.block(number:)', [BLOCK, 'stateRoot'], ({ block }) => block.stateRoot],
  [
    'Query.block(tag:)',
    ['block(tag: FINALIZED)', 'hash'],
    async ({ call }) => (await call('eth_getBlockByNumber', 'finalized', false)).hash,
  ],
  ...equalRows(
    'Block',
    [BLOCK],
    ({ block }) => block,
    `number hash parentHash nonce logsBloom transactionsRoot stateRoot receiptsRoot difficulty totalDifficulty ${MORE_FIELDS}`,
    { ommerHash: 'sha3Uncles', transactionHashes: 'transactions', ommerHashes: 'uncles' },
  ),
  ['Block.parent', [BLOCK, 'parent', 'hash'], ({ block }) => block.parentHash],
  ['Block.miner', [BLOCK, 'miner', 'address'], ({ block }) => block.miner],
  ['Block.timestampISO', [BLOCK, 'timestampISO'], ({ block }) => new Date(Number(block.timestamp) * 1000).toISOString()],
  ['Block.ommers', [BLOCK, 'ommers', 'hash'], ({ block }) => block.uncles],
  [
    'Block.ommerAt',
    [BLOCK, 'ommerAt(index: 0)', 'hash'],
    ({ call, block }) => call('eth_getUncleByBlockHashAndIndex', block.hash, '0x0'),
  ],
  ['Block.ommerCount', [BLOCK, 'ommerCount'], ({ call, block }) => call('eth_getUncleCountByBlockHash', block.hash)],
  [
    'Block.transactionCount',
    [BLOCK, 'transactionCount'],
    ({ call, block }) => call('eth_getBlockTransactionCountByHash', block.hash),
  ],
  ['Block.transactions', [BLOCK, 'transactions', 'value'], ({ fullBlock }) => pluck('value', fullBlock.transactions)],
  [
    'Block.transactionsConnection',
    [BLOCK, 'transactionsConnection(first: 100)', 'nodes', 'inputData'],
    ({ fullBlock }) => pluck('input', fullBlock.transactions),
  ],
  [
    'Block.transactionAt',
    [BLOCK, 'transactionAt(index: $index)', 'inputData'],
    async ({ call, block, transaction }) =>
      (await call('eth_getTransactionByBlockNumberAndIndex', block.number, transaction.transactionIndex)).input,
  ],
  [
    'Block.receipts',
    [BLOCK, 'receipts', 'cumulativeGasUsed'],
    async ({ call, block }) => pluck('cumulativeGasUsed', await call('eth_getBlockReceipts', block.number)),
  ],
  ['Block.logs', [BLOCK, 'logs(filter: $noFilter)', 'data'], ({ logs }) => pluck('data', logs)],
  [
    'Block.call',
    [BLOCK, 'call(data: $transferCall)', 'data'],
    ({ call, block, variables }) => call('eth_call', variables.transferCall, block.number),
  ],
  [
    'Block.estimateGas',
    [BLOCK, 'estimateGas(data: $transferCall)'],
    ({ call, block, variables }) => call('eth_estimateGas', variables.transferCall, block.number),
  ],
  ['Network.accounts', ['network', 'accounts'], ({ service }) => service('eth_accounts')],
  ['Network.protocolVersion', ['network', 'protocolVersion'], ({ service }) => service('eth_protocolVersion')],
  ['Network.networkID', ['network', 'networkID'], ({ service }) => service('net_version')],
  ['Network.listening', ['network', 'listening'], ({ service }) => service('net_listening')],
  ['Query.gasPrice', ['gasPrice'], ({ call }) => call('eth_gasPrice')],
  ['Query.chainID', ['chainID'], ({ call }) => call('eth_chainId')],
];

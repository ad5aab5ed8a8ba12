import { id } from 'ethers/hash';
import type { Target } from './forgeries.ts';

const LOG = 'index account { address } topics data transactionHash transactionIndex blockNumber blockHash';
const SIGNED =
  'hash nonce index from { address } to { address } value gasPrice maxFeePerGas maxPriorityFeePerGas effectiveTip gas inputData r s v yParity type chainID blockHash blockNumber maxFeePerBlobGas accessList { address storageKeys } blobVersionedHashes state';
const EXECUTED = `status gasUsed cumulativeGasUsed effectiveGasPrice createdContract { address } blobGasUsed blobGasPrice logs { ${LOG} }`;
const RECEIPT = `transactionHash transactionIndex blockHash blockNumber from { address } to { address } cumulativeGasUsed gasUsed
  effectiveGasPrice contract { address } logsBloom root status succeeded type logs { ${LOG} }`;
const HEADER = `number hash parentHash nonce transactionsRoot stateRoot receiptsRoot miner { address } extraData gasLimit gasUsed
  baseFeePerGas timestamp logsBloom difficulty ommerHash`;
const BLOCK = `${HEADER} mixHash withdrawalsRoot blobGasUsed excessBlobGas totalDifficulty slotNumber size transactionCount transactionHashes ommerCount ommerHashes withdrawals { index validator address amount }`;
const PROOF = 'balance nonce codeHash storageHash accountProof storageProof { key value proof }';
const ACCOUNT = 'address balance transactionCount code';

/** Queries that are also sent with a request of the report alone. */
const REPORTED = ['logs of range', 'filtered logs of range', 'transactions of block', 'account at block'];

/** Queries that read the block, the transaction, the logs or the account of a target, by path. */
const QUERIES: Readonly<Record<string, (target: Target) => string>> = {
  'block by number': ({ block }) => `block(number: ${Number(block.number)}) { ${BLOCK} }`,
  'block by hash': ({ block }) => `block(hash: "${block.hash}") { ${BLOCK} }`,
  'latest block': () => `block { ${BLOCK} }`,
  'blocks of range': (target) => `blocks(${around(target, 'from', 'to')}) { ${BLOCK} }`,
  'blocks of page': (target) => `blocksConnection(${around(target, 'from', 'to')}, first: 5) { nodes { ${BLOCK} } }`,
  'range with contents': (target) =>
    `blocks(${around(target, 'from', 'to')}) { hash transactions { ${SIGNED} } receipts { ${RECEIPT} } logs(filter: {}) { ${LOG} } }`,
  'transactions of block': (target) => `${inBlock(target)} { hash transactions { ${SIGNED} ${EXECUTED} } }`,
  'transactions of page': (target) => `transactionsConnection(${around(target, 'from', 'to')}) { nodes { ${SIGNED} } }`,
  'page of a block': (target) =>
    `${inBlock(target)} { transactionsConnection(first: 9) { totalCount nodes { ${SIGNED} ${EXECUTED} } } }`,
  'transaction in block': (target) =>
    `${inBlock(target)} { transactionAt(index: ${target.transaction}) { ${SIGNED} ${EXECUTED} } }`,
  'transaction by hash': (target) => `transaction(hash: "${hashIn(target)}") { ${SIGNED} }`,
  'outcome by hash': (target) =>
    `transaction(hash: "${hashIn(target)}") { hash ${EXECUTED} receipt { ${RECEIPT} } block { ${HEADER} } }`,
  'receipt by hash': (target) => `receipt(hash: "${hashIn(target)}") { ${RECEIPT} }`,
  'receipts of block': (target) => `${inBlock(target)} { receipts { ${RECEIPT} transaction { ${SIGNED} } } }`,
  'logs of block': (target) => `${inBlock(target)} { logs(filter: {}) { ${LOG} } }`,
  'filtered logs of block': (target) => `${inBlock(target)} { logs(filter: ${filterOf(target)}) { ${LOG} } }`,
  'logs by block hash': ({ block }) => `logs(filter: { blockHash: "${block.hash}" }) { ${LOG} }`,
  'logs of range': (target) => `logs(filter: { ${around(target, 'fromBlock', 'toBlock')} }) { ${LOG} }`,
  'filtered logs of range': (target) => `logs(filter: ${filterOf(target, around(target, 'fromBlock', 'toBlock'))}) { ${LOG} }`,
  'logs with contents': (target) =>
    `logs(filter: ${filterOf(target, around(target, 'fromBlock', 'toBlock'))}) { data transaction { ${SIGNED} status } block { ${HEADER} } }`,
  'logs of page': (target) =>
    `logsConnection(filter: ${filterOf(target, around(target, 'fromBlock', 'toBlock'))}) { nodes { ${LOG} } }`,
  ommers: (target) => `${inBlock(target)} { ommerCount ommerHashes ommers { ${HEADER} } ommerAt(index: 0) { hash timestamp } }`,
  'account at block': (target) =>
    `${inBlock(target)} { account(address: "${target.account}") { ${ACCOUNT} ${storageOf(target)} } }`,
  'account at head': (target) => `account(address: "${target.account}") { ${ACCOUNT} ${storageOf(target)} }`,
  'account of log': (target) =>
    `logs(filter: { blockHash: "${target.block.hash}" }) { account(block: ${Number(target.block.number)}) { ${ACCOUNT} } }`,
  'account with proof': (target) =>
    `${inBlock(target)} { account(address: "${target.account}") { balanceIn isContract proof(storageKeys: ["${target.slot}"]) { ${PROOF} } } }`,
  'parent and producer': (target) =>
    `block(hash: "${target.block.hash}") { parent { ${HEADER} } miner(block: ${Number(target.block.number)}) { balance } }`,
  'block by time': ({ block }) => `block(timestamp: ${Number(block.timestamp)}) { ${HEADER} }`,
  'last blocks': () => `blocks(last: 3) { ${HEADER} transactionHashes }`,
  'transactions by sender': (target) =>
    `${inBlock(target)} { transactionsConnection(filter: { from: "${sender(target)}" }) { totalCount nodes { hash value } } }`,
  'aliases and fragments': (target) =>
    `b: ${inBlock(target)} { t: transactions { h: hash p: gasPrice v: value ... on Transaction { f: from { address } } } s: size }`,
  counts: (target) => `${inBlock(target)} { transactionCount ommerCount }`,
  encodings: (target) => `${inBlock(target)} { rawHeader raw transactionAt(index: ${target.transaction}) { raw rawReceipt } }`,
};

export const QUERY_PATHS: typeof QUERIES = {
  ...QUERIES,
  ...Object.fromEntries(REPORTED.map((path) => [`${path} (report)`, QUERIES[path]!])),
};

const around = ({ block }: Target, from: string, to: string): string =>
  `${from}: ${Number(block.number) - 1}, ${to}: ${Number(block.number) + 1}`;
const inBlock = ({ block }: Target): string => `block(number: ${Number(block.number)})`;
const hashIn = ({ block, transaction }: Target): string => block.transactions[transaction].hash;
const sender = ({ block, transaction }: Target): string => block.transactions[transaction].from;
const storageOf = ({ slot }: Target): string => `storage(slot: "${slot}") storageMany(slots: ["${slot}"])`;
const filterOf = ({ logs, log }: Target, range = ''): string =>
  `{ addresses: ["${logs[log]!.address}"], topics: [["${logs[log]!.topics[0]}"]] ${range && `, ${range}`} }`;

const POWER_CHANGED = id('WizardPowerChanged(uint256,uint256)');

/** Subscriptions, by path. */
export const EVENT_PATHS = {
  newHeads: `subscription { newHeads { ${HEADER} } }`,
  logs: `subscription { logs { ${LOG} removed } }`,
  'heads with contents': `subscription { newHeads { number hash block { transactions { ${SIGNED} ${EXECUTED} } logs(filter: {}) { ${LOG} } } } }`,
  'logs with contents': `subscription { logs(filter: { topics: [["${POWER_CHANGED}"]] }) { blockNumber blockHash data transaction { ${SIGNED} ${EXECUTED} } block { ${HEADER} } } }`,
};

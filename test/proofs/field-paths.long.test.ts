import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { buildSchema, type GraphQLObjectType, getNamedType, isLeafType } from 'graphql';
import { type DevnetSetup, startSharedDevnetSetup } from '../support/graph/devnet-setup.ts';
import { dataOf } from '../support/graph/results.ts';
import { runSize } from '../support/random-tests.ts';

/**
 * A field selected alone has its value of a full selection, on each path to its type. The selection decides which calls
 * the node receives; the value must not depend on it.
 */
let setup: DevnetSetup;

beforeAll(async () => {
  // Every field of all blocks of a search costs more than one operation may.
  setup = await startSharedDevnetSetup({ MAX_COST: '100000' });
});

const schema = buildSchema(readFileSync(new URL('../../schema/graph.graphql', import.meta.url), 'utf8'));
const ZERO = `0x${'0'.repeat(64)}`;
const MANA = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const PERSON = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

/** Values of required arguments. */
const ARGUMENTS: Record<string, string> = {
  'Block.logs': '(filter: {})',
  'Block.ommerAt': '(index: 0)',
  'Block.transactionAt': '(index: 0)',
  'Block.account': `(address: "${MANA}")`,
  'Block.call': `(data: { to: "${MANA}", data: "0x18160ddd" })`,
  'Block.estimateGas': `(data: { to: "${PERSON}" })`,
  'Account.tokenBalances': `(contracts: ["${MANA}", "${PERSON}"])`,
  'Account.tokenBalance': `(contract: "${MANA}")`,
  'Account.tokenAllowance': `(contract: "${MANA}", spender: "${PERSON}")`,
  'Token.balanceOf': `(owner: "${PERSON}")`,
  'Token.allowance': `(owner: "${PERSON}", spender: "${MANA}")`,
  'Block.transactionsConnection': '(last: 3)',
  'Block.duelsStarted': '(first: 2)',
  'Block.duelsEnded': '(first: 2)',
  'Account.storage': `(slot: "${ZERO}")`,
  'Account.mappingStorage': `(slot: 1, keys: ["${PERSON}"])`,
  'Account.arrayStorage': '(slot: 1, index: 0)',
  'Account.storageMany': `(slots: ["${ZERO}"])`,
  'Account.read': '(function: "decimals()(uint8)")',
  'Account.proof': `(storageKeys: ["${ZERO}"])`,
};
/** The fields that identify an object in a selection. */
const NAMES: Record<string, string> = {
  Block: 'number hash',
  Transaction: 'hash index',
  TransactionConnection: 'totalCount nodes { hash }',
  Receipt: 'transactionHash status',
  Log: 'index data',
  Account: 'address',
  CallResult: 'data status',
  CallFrame: 'type depth: traceAddress',
  ContractRead: 'data status',
  ExecutionTrace: 'gas failed',
  TransactionTrace: 'transaction { hash } calls { type }',
  AccountProof: 'storageHash storageProof { key value }',
  Withdrawal: 'index',
  AccessTuple: 'address',
  AccountAccess: 'address',
  AccountDiff: 'address storage { slot }',
  Authorization: 'address authority { address }',
  ArbitrumBlock: 'l1BlockNumber',
  ArbitrumReceipt: 'gasUsedForL1',
  ArbitrumTransaction: 'requestId',
  OptimismDeposit: 'sourceHash',
  OptimismReceipt: 'l1Fee',
  DecodedCall: 'signature',
  DecodedEvent: 'signature',
  DecodedArgument: 'value',
  DecodedError: 'signature',
  Token: 'address',
  TokenTransferConnection: 'totalAmount nodes { amount }',
  TokenAmount: 'value',
  TokenBalance: 'tokenBalance',
  Wizard: 'id',
  WizardConnection: 'totalCount nodes { id }',
  WizardRecord: 'won lost',
  Duel: 'id',
  DuelConnection: 'totalCount nodes { id }',
  DuelRound: 'move1',
};

/** Selections with one field of a type each. */
const fieldsOf = (typeName: string): string[] =>
  Object.values((schema.getType(typeName) as GraphQLObjectType).getFields()).map((field) => {
    const type = getNamedType(field.type);
    return `${field.name}${ARGUMENTS[`${typeName}.${field.name}`] ?? ''}${isLeafType(type) ? '' : ` { ${NAMES[type.name]} }`}`;
  });

const PATHS: [string, string, string][] = [
  ['Block', 'block(number: N)', '$'],
  ['Block', 'block(hash: H)', '$'],
  ['Block', 'block', '$'],
  ['Block', 'blocks(from: N, to: N)', '$'],
  ['Block', 'blocksConnection(from: N, to: N)', 'nodes { $ }'],
  ['Block', 'blocksConnection(to: N, last: 2)', 'edges { node { $ } }'],
  ['Block', 'block(number: N)', 'parent { $ }'],
  ['Block', 'transaction(hash: T)', 'block { $ }'],
  ['Block', 'receipt(hash: T)', 'block { $ }'],
  ['Block', 'logs(filter: { fromBlock: N, toBlock: N })', 'block { $ }'],
  ['Block', 'block(number: N)', 'logs(filter: {}) { block { $ } }'],
  ['Transaction', 'transaction(hash: T)', '$'],
  ['Transaction', 'block(number: N)', 'transactions { $ }'],
  ['Transaction', 'block(hash: H)', 'transactions { $ }'],
  ['Transaction', 'block(number: N)', 'transactionAt(index: 0) { $ }'],
  ['Transaction', 'block(number: N)', 'transactionsConnection { edges { node { $ } } }'],
  ['Transaction', 'block(number: N)', 'transactionsConnection(filter: { withInput: true }) { nodes { $ } }'],
  ['Transaction', 'transactionsConnection(from: N, to: N)', 'nodes { $ }'],
  ['Transaction', 'transactionsConnection(to: N, last: 2, filter: { withInput: true })', 'edges { node { $ } }'],
  ['Transaction', 'receipt(hash: T)', 'transaction { $ }'],
  ['Transaction', 'block(number: N)', 'receipts { transaction { $ } }'],
  ['Transaction', 'block(number: N)', 'logs(filter: {}) { transaction { $ } }'],
  ['Transaction', 'logs(filter: { fromBlock: N, toBlock: N })', 'transaction { $ }'],
  ['Transaction', 'block(number: N)', 'transactions { receipt { transaction { $ } } }'],
  ['Transaction', 'transaction(hash: T)', 'block { transactions { $ } }'],
  ['Receipt', 'receipt(hash: T)', '$'],
  ['Receipt', 'transaction(hash: T)', 'receipt { $ }'],
  ['Receipt', 'block(number: N)', 'receipts { $ }'],
  ['Receipt', 'block(number: N)', 'transactions { receipt { $ } }'],
  ['Log', 'logs(filter: { blockHash: H })', '$'],
  ['Log', 'receipt(hash: T)', 'logs { $ }'],
  ['Log', 'transaction(hash: T)', 'logs { $ }'],
  ['Log', 'block(number: N)', 'logs(filter: {}) { $ }'],
  ['Log', 'block(number: N)', 'transactions { logs { $ } }'],
  ['Log', 'logsConnection(filter: { fromBlock: N, toBlock: N }, last: 5)', 'edges { node { $ } }'],
  ['Transaction', 'logsConnection(filter: { blockHash: H })', 'nodes { transaction { $ } }'],
  ['Account', 'block(number: N)', `account(address: "${MANA}") { $ }`],
  ['Account', 'transaction(hash: T)', 'from(block: N) { $ }'],
  ['Token', `token(address: "${MANA}")`, '$'],
  ['Token', `tokens(addresses: ["${MANA}"])`, '$'],
  ['Token', 'block(number: N)', `account(address: "${MANA}") { token { $ } }`],
  ['TokenBalance', `account(address: "${PERSON}")`, `tokenBalance(contract: "${MANA}") { $ }`],
  ['TokenBalance', 'transaction(hash: T)', `from(block: N) { tokenBalances(contracts: ["${MANA}", "${PERSON}"]) { $ } }`],
  ['TokenAmount', `token(address: "${MANA}")`, 'totalSupply { $ }'],
  ['Wizard', 'wizard(id: "1")', '$'],
  ['Wizard', 'wizards', 'nodes { $ }'],
  ['Wizard', 'duels(first: 3)', 'nodes { winner { $ } }'],
  ['Wizard', `account(address: "${PERSON}")`, 'wizards { nodes { $ } }'],
  ['Duel', 'duels', 'nodes { $ }'],
  ['Duel', 'wizards(first: 3)', 'nodes { duels(first: 5) { nodes { $ } } }'],
  ['Duel', 'wizards', 'nodes { activeDuel { $ } }'],
  ['DuelRound', 'duels(first: 3)', 'nodes { rounds { $ } }'],
];

test.each(PATHS)('each field of %s has one value alone and among others, through %s { %s }', async (type, root, selection) => {
  const { contracts, landmarks } = setup.devnet.description;
  const hashes = [
    landmarks.tokenTransfer,
    landmarks.accessListTransaction,
    landmarks.revertedTransaction,
    contracts[0]!.transactionHash,
  ];
  // Each path has another transaction than the path before it; `npm run prove` reads all of them on each path.
  const first = PATHS.findIndex((path) => path[1] === root && path[2] === selection) % hashes.length;
  for (const hash of [...hashes, ...hashes].slice(first, first + runSize(1, hashes.length))) {
    const { blockNumber, blockHash } = await setup.rpc('eth_getTransactionByHash', hash);
    const named = root.replaceAll('N', `"${blockNumber}"`).replace(' H', ` "${blockHash}"`).replace(' T', ` "${hash}"`);
    const below = selection.replaceAll('N', `"${blockNumber}"`);
    const ask = async (fields: string) => {
      const data = await dataOf(setup.graph.execute(`{ root: ${named} { ${below.replace('$', fields)} } }`));
      return data.root;
    };
    const fields = fieldsOf(type);
    const all = await ask(fields.join(' '));
    const alone = await Promise.all(fields.map(ask));
    fields.forEach((field, i) => {
      expect({ field, value: alone[i] }).toEqual({ field, value: only(field, all, alone[i]) });
    });
  }
});

/** The part of the full response that the response with one field has. */
function only(field: string, all: any, shape: any): any {
  if (Array.isArray(all)) return all.map((item, i) => only(field, item, shape?.[i]));
  if (all === null || typeof all !== 'object' || shape === null || typeof shape !== 'object') return all;
  return Object.fromEntries(Object.keys(shape).map((key) => [key, only(field, all[key], shape[key])]));
}

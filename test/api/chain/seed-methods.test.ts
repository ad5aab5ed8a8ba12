import { beforeEach, expect, test } from '@jest/globals';
import type { GraphQLField } from 'graphql';
import { addressTopic, TRANSFER_TOPIC } from '../../../src/ethereum/tokens.ts';
import { selectEveryField } from '../../support/graph/every-field.ts';
import { chainSchema } from '../../support/graph/in-process-graph.ts';
import { dataOf } from '../../support/graph/results.ts';
import {
  addressOf,
  block,
  hashOf,
  logFixture,
  receiptFixture,
  rpcError,
  type StubbedGraph,
  startStubbedGraph,
  transactionFixture,
} from '../../support/graph/stubbed-graph.ts';

/** A node with only the methods of the node service's specification, whose results have only the specified fields. */
let graph: StubbedGraph;

const without = (from: Record<string, unknown>, ...names: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));

const transaction = without(transactionFixture(), 'type', 'yParity', 'accessList', 'maxFeePerGas', 'maxPriorityFeePerGas');
/** A transfer of tokens, so that it matches the filters of transfers, too. */
const log = logFixture({ topics: [TRANSFER_TOPIC, ...[0xa, 0xb].map((end) => addressTopic(addressOf(end)))], data: hashOf(1) });
const receipt = without(receiptFixture({ logs: [log] }), 'type', 'effectiveGasPrice');
const fullBlock = (full: boolean) =>
  without(
    block({ transactions: [full ? transaction : hashOf(0x71)], totalDifficulty: '0x1', uncles: [hashOf(0x0e)] }),
    'baseFeePerGas',
  );
/** Any other block, such as the parent: empty. */
const otherBlock = (name: { readonly hash?: string; readonly number: string }) =>
  without(block({ transactions: [], uncles: [], ...name }), 'baseFeePerGas');
const { hash: OUR_HASH, parentHash: PARENT_HASH } = block() as { hash: string; parentHash: string };
const ommer = without(block({ hash: hashOf(0x0e), number: '0xf' }), 'baseFeePerGas', 'transactions', 'uncles', 'size');

const TAGS = ['earliest', 'latest', 'pending'];
/** State by height or by one of three tags; anything else is rejected. */
const state =
  (value: unknown) =>
  (...params: unknown[]): unknown => {
    const at = params.at(-1);
    return typeof at === 'string' && (TAGS.includes(at) || Number(at) <= 0x10) ? value : rpcError(-32000, 'invalid block');
  };
const byNumber = (ref: string, full: boolean): unknown => {
  if (!ref.startsWith('0x') && !TAGS.includes(ref)) return rpcError(-32602, 'invalid tag');
  if (!ref.startsWith('0x') || Number(ref) === 0x10) return fullBlock(full);
  return Number(ref) > 0x10 ? null : otherBlock({ number: ref, hash: PARENT_HASH });
};
const byHash = (hash: string, full: boolean): unknown =>
  hash === OUR_HASH ? fullBlock(full) : otherBlock({ hash, number: '0xf' });
const logsOf = ({ blockHash = OUR_HASH, address = [] }: { readonly blockHash?: string; readonly address?: string | string[] }) =>
  blockHash === OUR_HASH && [address, addressOf(0xc)].flat().every((contract) => contract === log.address) ? [log] : [];

const PROOF = { balance: '0x5', codeHash: hashOf(1), nonce: '0x6', storageHash: hashOf(2), accountProof: [], storageProof: [] };

const SEED = {
  eth_blockNumber: '0x10',
  eth_getBlockByHash: byHash,
  eth_getBlockByNumber: byNumber,
  eth_getBlockTransactionCountByHash: '0x1',
  eth_getBlockTransactionCountByNumber: '0x1',
  eth_getTransactionByHash: transaction,
  eth_getTransactionByBlockHashAndIndex: transaction,
  eth_getTransactionByBlockNumberAndIndex: transaction,
  eth_getTransactionCount: state('0x6'),
  eth_getTransactionReceipt: receipt,
  eth_getBalance: state('0x5'),
  eth_getCode: state('0x60'),
  eth_getStorageAt: state(hashOf(7)),
  eth_accounts: [],
  eth_getProof: (address: string, _keys: unknown, at: unknown) => state({ ...PROOF, address })(at),
  eth_call: state(hashOf(9)),
  eth_estimateGas: state('0x5208'),
  eth_getLogs: logsOf,
  eth_protocolVersion: '0x41',
  eth_gasPrice: '0x64',
  eth_chainId: '0x1',
  net_version: '1',
  net_listening: true,
  eth_getUncleByBlockNumberAndIndex: ommer,
  eth_getUncleByBlockHashAndIndex: ommer,
  eth_getUncleCountByBlockHash: '0x1',
  eth_getUncleCountByBlockNumber: '0x1',
  svc_getTokenAllowance: '12',
  svc_getTokenBalances: (address: string, contracts: string[]) => ({
    address,
    tokenBalances: contracts.map((contractAddress) => ({ contractAddress, tokenBalance: hashOf(9), error: null })),
  }),
  svc_getTokenMetadata: { name: 'Mana', symbol: 'MANA', decimals: 18, logo: null },
};

beforeEach(async () => {
  graph = await startStubbedGraph(SEED);
});

const Query = chainSchema.getQueryType()!;

const ARGUMENTS: Readonly<Record<string, string>> = {
  address: `"${addressOf(0xa)}"`,
  addresses: `["${addressOf(0xc)}"]`,
  hash: `"${hashOf(0x71)}"`,
  number: '16',
  id: '1',
  from: '16',
  to: '16',
  block: '16',
  index: '0',
  slot: `"${hashOf(0)}"`,
  slots: `["${hashOf(0)}"]`,
  filter: '{}',
  data: `{ to: "${addressOf(0xc)}" }`,
  keys: '["0x01"]',
  contract: `"${addressOf(0xc)}"`,
  contracts: `["${addressOf(0xc)}"]`,
  owner: `"${addressOf(0xa)}"`,
  spender: `"${addressOf(0xb)}"`,
  resource: 'STATE',
  function: '"decimals()(uint8)"',
};

/** `block` accepts only one of its arguments; `from` and `to` of `transfers` and `read` are accounts instead of heights. */
const valueFor = (field: string, arg: string): string | undefined => {
  const isLeftOut = field === 'block' ? arg !== 'number' : field === 'transfers' || (field === 'read' && arg === 'from');
  return isLeftOut ? undefined : ARGUMENTS[arg];
};

/** Fields that fail with METHOD_NOT_SUPPORTED on this node, and the streams of a caller, which are in a database. */
const UNSUPPORTED = [
  ...['simulate', 'createAccessList', 'config', 'streams'],
  ...['trace', 'traces', 'stateDiff', 'executionTrace', 'executionTraces'],
];

const rootFields = Object.values(Query.getFields()).filter(({ name }) => !name.startsWith('_') && !UNSUPPORTED.includes(name));

test.each(rootFields)(
  'Query.$name with all fields below it has no error on a node with only the specified methods',
  async (root) => {
    const skip = (field: GraphQLField<unknown, unknown>, path: readonly string[]) =>
      (rootFields.includes(field) && field !== root) ||
      // No specified method returns the gas of a call.
      (field.name === 'gasUsed' && path.at(-1) === 'call') ||
      UNSUPPORTED.includes(field.name) ||
      // An ommer has no state.
      (['account', 'call', 'estimateGas'].includes(field.name) && path.some((above) => above.startsWith('ommer'))) ||
      // The made-up hashes match no encoding; encodings.test.ts uses blocks with real hashes.
      field.name.startsWith('raw');
    const data = await dataOf(graph.execute(selectEveryField(Query, 3, { valueFor, skip })));
    expect(data).toHaveProperty(root.name);
  },
);

import { beforeEach, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { readTokenLists } from '../../../src/config/token-lists.ts';
import { parseAbi } from '../../../src/ethereum/abi/parse.ts';
import { createAbiRegistry } from '../../../src/ethereum/abi/registry.ts';
import { dataOf } from '../../support/graph/results.ts';
import {
  addressOf,
  block,
  hashOf,
  logFixture,
  type StubbedGraph,
  startStubbedGraph,
  transactionFixture,
} from '../../support/graph/stubbed-graph.ts';

const [TOKEN, VAULT, ALICE, BOB] = [addressOf(0xc), addressOf(0xd), addressOf(0xa), addressOf(0xb)] as const;
const erc20 = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function transfer(address to, uint256 value)',
]);
const vault = new Interface(['function deposit(tuple(address owner, uint256[] amounts) request, string note)']);
const transferLog = { address: TOKEN, ...erc20.encodeEventLog('Transfer', [ALICE, BOB, 10n ** 30n]) };

const log = (index: number, changes: object) => logFixture({ ...transferLog, logIndex: `0x${index}`, ...changes });
const logs = [log(0, {}), log(1, { topics: [hashOf(1)] }), log(2, { data: '0x01' }), log(3, { data: 'none' })];
const transactions = [
  transactionFixture({ to: TOKEN, input: erc20.encodeFunctionData('transfer', [BOB, 7]) }),
  transactionFixture({
    hash: hashOf(0x72),
    transactionIndex: '0x1',
    to: VAULT,
    input: vault.encodeFunctionData('deposit', [[ALICE, [1, 2n ** 255n]], 'for "Bob"']),
  }),
  transactionFixture({ hash: hashOf(0x73), transactionIndex: '0x2', to: null, input: '0x6000' }),
];
const hashes = transactions.map(({ hash }) => hash);

const DECODED = 'name signature standard arguments { name type indexed value account { address } }';
const argument = (name: string, type: string, value: string, indexed: boolean | null) => ({
  name,
  type,
  indexed,
  value,
  account: type === 'address' ? { address: value } : null,
});

let graph: StubbedGraph;

beforeEach(async () => {
  const tokenList = { tokens: [{ chainId: 1, address: TOKEN, name: 'Silver', symbol: 'SLV', decimals: 18 }] };
  graph = await startStubbedGraph(
    {
      eth_chainId: '0x1',
      eth_getBlockByNumber: (_ref: string, full: boolean) => block({ transactions: full ? transactions : hashes }),
      eth_getBlockByHash: (_ref: string, full: boolean) => block({ transactions: full ? transactions : hashes }),
      eth_getBlockReceipts: () => [],
      eth_getLogs: () => logs,
      eth_getTransactionByHash: (hash: string) => transactions.find((transaction) => transaction.hash === hash),
      eth_getBalance: '0x5',
    },
    {
      lists: readTokenLists([], [tokenList]),
      abis: createAbiRegistry([
        { address: VAULT, fragments: parseAbi(JSON.parse(vault.formatJson())).fragments, contractName: 'Vault' },
        { address: TOKEN, fragments: [], contractName: 'SilverToken' },
      ]),
    },
  );
});

test('decoded calls of a block need its full transactions and no other call: 1/1', async () => {
  const data = await dataOf(graph.execute(`{ block { transactions { decoded { selector ${DECODED} } } } }`));
  expect(graph.node.takeCounts()).toEqual({ http: 1, calls: 1, methods: { eth_getBlockByNumber: 1 } });
  expect(data.block.transactions).toEqual([
    {
      decoded: {
        name: 'transfer',
        signature: 'transfer(address,uint256)',
        selector: '0xa9059cbb',
        standard: 'ERC-20',
        arguments: [argument('to', 'address', BOB, null), argument('value', 'uint256', '7', null)],
      },
    },
    {
      decoded: {
        name: 'deposit',
        signature: 'deposit((address,uint256[]),string)',
        selector: vault.getFunction('deposit')!.selector,
        standard: null,
        arguments: [
          argument('request', '(address,uint256[])', `{"owner":"${ALICE}","amounts":["1","${2n ** 255n}"]}`, null),
          argument('note', 'string', 'for "Bob"', null),
        ],
      },
    },
    { decoded: null },
  ]);
});

test('decoded events need no call besides the log search, and an error affects only its log: 1/1', async () => {
  const { data, errors } = await graph.execute(
    `{ logs(filter: { fromBlock: 16, toBlock: 16 }) { index decoded { ${DECODED} } } }`,
    undefined,
    '0x10',
  );
  expect(graph.node.takeCounts()).toMatchObject({ methods: { eth_getLogs: 1 } });
  expect(data.logs).toEqual([
    {
      index: '0x0',
      decoded: {
        name: 'Transfer',
        signature: 'Transfer(address,address,uint256)',
        standard: 'ERC-20',
        arguments: [
          argument('from', 'address', ALICE, true),
          argument('to', 'address', BOB, true),
          argument('value', 'uint256', '1000000000000000000000000000000', false),
        ],
      },
    },
    { index: '0x1', decoded: null },
    { index: '0x2', decoded: null },
    { index: '0x3', decoded: null },
  ]);
  expect(errors).toMatchObject([{ path: ['logs', 3, 'decoded'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
});

test('accounts of decoded arguments are read once for each address, in one POST: 2/3', async () => {
  const data = await dataOf(
    graph.execute(`{
    transaction(hash: "${hashOf(0x71)}") { from { balance } decoded { arguments { account { balance } } } again: decoded { arguments { account { balance } } } }
  }`),
  );
  expect(data.transaction.decoded).toEqual({ arguments: [{ account: { balance: '0x5' } }, { account: null }] });
  expect(data.transaction.again).toEqual(data.transaction.decoded);
  expect(graph.node.takeCounts()).toMatchObject({ methods: { eth_getTransactionByHash: 1, eth_getBalance: 2 } });
});

test('label is the name in the token lists, else the contract name of the ABI, without a call for each account', async () => {
  const labels = [TOKEN, VAULT, ALICE].map((address, i) => `a${i}: account(address: "${address}") { label }`).join(' ');
  const { data } = await graph.execute(`{ ${labels} }`);
  expect(data).toEqual({ a0: { label: 'Silver' }, a1: { label: 'Vault' }, a2: { label: null } });
  // The id of the chain is read once for the process.
  expect(graph.node.takeCounts()).toMatchObject({ calls: 1, methods: { eth_chainId: 1 } });
  expect((await graph.execute(`{ ${labels} }`)).data).toEqual(data);
  expect(graph.node.takeCounts()).toMatchObject({ calls: 0 });
});

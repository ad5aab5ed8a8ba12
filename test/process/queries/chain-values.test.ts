import { beforeAll, expect, test } from '@jest/globals';
import { type FunctionFragment, Interface } from 'ethers';
import { type DevnetSetup, startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';
import {
  BLOCK_SELECTION,
  expectedBlock,
  expectedLog,
  expectedReceipt,
  expectedTransaction,
  hex,
  LOG_SELECTION,
  RECEIPT_SELECTION,
  TRANSACTION_SELECTION,
} from '../../support/graph/expected-values.ts';
import { createInProcessGraph } from '../../support/graph/in-process-graph.ts';
import { dataOf, field } from '../../support/graph/results.ts';

/** Each value of the embedded chain's history that the graph returns equals the value of the node. */
let setup: DevnetSetup;
/** The address of Multicall3 on every chain. */
const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11';

beforeAll(async () => {
  setup = await startSharedDevnetSetup();
});

test('each field of each block equals the value of the node', async () => {
  const { lastBlock } = setup.devnet.description.landmarks;
  const data = await dataOf(setup.graph.execute(`{ blocks(from: 0, to: ${lastBlock}) { ${BLOCK_SELECTION} } }`));
  for (let n = 0; n <= lastBlock; n++) {
    const [raw, next] = await Promise.all([n, n + 1].map((at) => setup.rpc('eth_getBlockByNumber', hex(at), false)));
    const nextBaseFee = next?.baseFeePerGas ?? expect.stringMatching(/^0x[1-9a-f][0-9a-f]*$/);
    expect(data.blocks[n]).toEqual(expectedBlock(raw!, nextBaseFee));
  }
});

test('each field of each transaction, receipt and log equals the value of the node', async () => {
  const { lastBlock } = setup.devnet.description.landmarks;
  for (let n = 0; n <= lastBlock; n++) {
    const [raw, receipts, logs] = await Promise.all([
      setup.rpc('eth_getBlockByNumber', hex(n), true),
      setup.rpc('eth_getBlockReceipts', hex(n)),
      setup.rpc('eth_getLogs', { fromBlock: hex(n), toBlock: hex(n) }),
    ]);
    const data = await dataOf(
      setup.graph.execute(
        `query ($n: Long) { block(number: $n) { transactions { ${TRANSACTION_SELECTION} } receipts { ${RECEIPT_SELECTION} } logs(filter: {}) { ${LOG_SELECTION} } } }`,
        { n },
      ),
    );
    expect(data.block.receipts).toEqual(receipts.map(expectedReceipt));
    expect(data.block.logs).toEqual(logs.map(expectedLog));
    expect(data.block.transactions).toEqual(
      raw.transactions.map((one, i) => expectedTransaction(one, receipts[i]!, raw.baseFeePerGas)),
    );
  }
});

test('account state equals the state of the node, at the head and at a past block', async () => {
  const { accounts, contracts } = setup.devnet.description;
  const slot = `0x${'0'.repeat(64)}`;
  for (const { address } of [...accounts, ...contracts]) {
    const { data } = await setup.graph.execute(
      `query ($a: Address!, $slot: Bytes32!) {
        now: account(address: $a) { ...A }
        past: block(number: 3) { account(address: $a) { ...A } }
      }
      fragment A on Account { address balance transactionCount code storage(slot: $slot) }`,
      { a: address, slot },
    );
    const at = async (block: string) => ({
      address,
      balance: await setup.rpc('eth_getBalance', address, block),
      transactionCount: await setup.rpc('eth_getTransactionCount', address, block),
      code: await setup.rpc('eth_getCode', address, block),
      storage: await setup.rpc('eth_getStorageAt', address, slot, block),
    });
    expect(data).toEqual({ now: await at('latest'), past: { account: await at('0x3') } });
  }
});

test('reads of contracts equal the outputs that ethers decodes, also of tuples and arrays', async () => {
  const { accounts, contracts, tournament } = setup.devnet.description;
  const [owner, token] = [accounts[0]!.address, contracts[0]!.address];
  const calls = [token, token].map((target, i) => [target, true, i === 0 ? '0x313ce567' : '0x12345678']);
  const reads: [address: string, text: string, ...args: unknown[]][] = [
    [token, 'function balanceOf(address) view returns (uint256)', owner],
    [token, 'function name() view returns (string)'],
    [tournament.address, 'function living() view returns (uint256[])'],
    [MULTICALL3, 'function aggregate3((address,bool,bytes)[]) payable returns ((bool success, bytes returnData)[])', calls],
  ];
  const query = `query ($a: Address!, $f: String!, $args: [AbiValue!]!) { account(address: $a) { read(function: $f, args: $args) { data results { value } } } }`;
  for (const [address, text, ...args] of reads) {
    const abi = new Interface([text]);
    const fragment = abi.fragments[0] as FunctionFragment;
    const returned = await setup.rpc('eth_call', { to: address, data: abi.encodeFunctionData(fragment, args) }, 'latest');
    const [output] = abi.decodeFunctionResult(fragment, returned).toArray(true);
    const pairs = text.includes('success') && output.map(([success, returnData]: unknown[]) => ({ success, returnData }));
    const value = typeof output === 'object' ? JSON.stringify(pairs || output.map(String)) : String(output);
    const data = await dataOf(setup.graph.execute(query, { a: address, f: text, args }));
    expect(data.account.read).toEqual({ data: returned, results: [{ value }] });
  }
});

test('a text and a custom error of anvil are decoded', async () => {
  const { accounts, contracts, endpoints } = setup.devnet.description;
  const owner = accounts[0]!.address;
  const ERROR = 'revertError { signature standard arguments { value } }';
  const transfer = `read(function: "transfer(address,uint256)(bool)", args: ["${owner}", 1]) { status results { value } ${ERROR} }`;
  const payload = new Interface(['error ERC20InvalidSender(address)']).encodeErrorResult('ERC20InvalidSender', [owner]);
  // Init code that reverts with the payload behind it. The node service accepts no contract creation.
  const graph = createInProcessGraph([endpoints.http]);
  const { data } = await graph.execute(`{ account(address: "${contracts[0]!.address}") { ${transfer} }
    block { call(data: { data: "0x6024600a5f3960245ffd${payload.slice(2)}" }) { data ${ERROR} } } }`);
  await graph.close();
  const text = { signature: 'Error(string)', standard: null, arguments: [{ value: 'insufficient balance' }] };
  const custom = { signature: 'ERC20InvalidSender(address)', standard: 'ERC-20', arguments: [{ value: owner }] };
  expect(data).toEqual({
    account: { read: { status: '0x0', results: null, revertError: text } },
    block: { call: { data: payload, revertError: custom } },
  });
});

test.each<[string, { contracts?: number[]; topics?: string[][] }]>([
  ['everything', {}],
  ['one contract', { contracts: [0] }],
  ['two contracts', { contracts: [0, 1] }],
  ['a first topic', { topics: [['transfer']] }],
  ['either of two first topics', { topics: [['transfer', 'approval']] }],
  ['a second topic with an open first', { topics: [[], ['alice']] }],
  ['open positions only', { topics: [[], []] }],
  ['an empty list of addresses', { contracts: [] }],
])('logs filtered by %s equal eth_getLogs, in a range, a block and receipts', async (_case, { contracts, topics }) => {
  const { accounts, contracts: all, landmarks } = setup.devnet.description;
  const topicOf: Record<string, string> = {
    transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    approval: '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
    alice: `0x${accounts[0]!.address.slice(2).padStart(64, '0')}`,
  };
  const addresses = contracts?.map((i) => all[i]!.address);
  const positions = topics?.map((names) => names.map((name) => topicOf[name]!));
  const filter = { addresses, topics: positions };
  const wire = {
    ...(addresses?.length && { address: addresses }),
    ...(positions && { topics: positions.map((names) => (names.length ? names : null)) }),
  };
  const range = { fromBlock: '0x0', toBlock: hex(landmarks.lastBlock) };
  const expected = (await setup.rpc('eth_getLogs', { ...range, ...wire })).map(expectedLog);
  const { data } = await setup.graph.execute(
    `query ($range: FilterCriteria!, $filter: BlockFilterCriteria!, $n: Long) {
      logs(filter: $range) { ${LOG_SELECTION} }
      block(number: $n) { logs(filter: $filter) { ${LOG_SELECTION} } }
      other: block(number: $n) { receipts { logs(filter: $filter) { ${LOG_SELECTION} } } }
    }`,
    { range: { ...filter, ...range }, filter, n: landmarks.crowdedBlock },
  );
  const inBlock = expected.filter(({ block }) => block.number === hex(landmarks.crowdedBlock));
  expect(data.logs).toEqual(expected);
  expect(data.block.logs).toEqual(inBlock);
  expect(data.other.receipts.flatMap(field('logs'))).toEqual(inBlock);
  expect(expected.length).toBeGreaterThan(0);
});

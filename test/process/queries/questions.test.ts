import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { readArtifact } from '../../../devnet/src/world/artifacts.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { type DevnetSetup, sharedDevnet, startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { dataOf, field } from '../../support/graph/results.ts';
import type { HttpResponse } from '../../support/graph/running-graph.ts';

/** The operations of docs/recipes/questions.md with their variables, checked against the node, and their upstream calls. */
const text = readFileSync(new URL('../../../docs/recipes/questions.md', import.meta.url), 'utf8');

/** The operations by name. */
const questions = new Map(
  text.split(/^## /m).flatMap((section): [string, { query: string; variables: Record<string, any> }][] => {
    const block = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(section)?.[1];
    const query = block('graphql');
    return query ? [[/query (\w+)/.exec(query)![1]!, { query, variables: JSON.parse(block('json') ?? '{}') }]] : [];
  }),
);

let setup: DevnetSetup;

beforeAll(async () => {
  const folder = createTemporaryFolder();
  const file = join(folder, 'list.json');
  writeFileSync(file, JSON.stringify(sharedDevnet().tokenList));
  const abis = mkdtempSync(join(folder, 'abis-'));
  const { address } = sharedDevnet().tournament;
  writeFileSync(join(abis, `${address}.json`), JSON.stringify(readArtifact('Tournament')));
  setup = await startSharedDevnetSetup({ CACHE_BYTES: '0', TOKEN_LISTS: file, ABI_DIR: abis });
  // The detection of the enhanced methods, once per endpoint.
  await setup.graph.execute('{ account(address: "0x0000000000000000000000000000000000000001") { tokenBalances { error } } }');
});

beforeEach(() => {
  setup.proxy.takeCounts();
});

async function answer(name: string) {
  const { query, variables } = questions.get(name)!;
  const data = await dataOf(setup.graph.execute(query, variables));
  const { http, methods } = setup.proxy.takeCounts();
  return { data, variables, http, methods };
}

const hex = (value: number): string => `0x${value.toString(16)}`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const balanceOf = async (token: string, owner: string): Promise<bigint> =>
  BigInt(await setup.rpc('eth_call', { to: token, data: `0x70a08231${owner.slice(2).padStart(64, '0')}` }, 'latest'));
const transferLogs = (token: string, from: number, to: number) =>
  setup.rpc('eth_getLogs', { address: token, topics: [TRANSFER], fromBlock: hex(from), toBlock: hex(to) });

test('label of a contract is its name in the file of ABI_DIR', async () => {
  const { tournament, accounts } = setup.devnet.description;
  const { data } = await setup.graph.execute(
    `{ contract: account(address: "${tournament.address}") { label } person: account(address: "${accounts[0]!.address}") { label } }`,
  );
  expect(data).toEqual({ contract: { label: 'Tournament' }, person: { label: null } });
});

test('the page of questions has an operation for each', () => {
  expect(questions.size).toBe(7);
  expect(text.match(/^## /gm)).toHaveLength(7);
});

test('the wizard that won the most duels agrees with the duels of the service, without a call', async () => {
  const { data, variables, http } = await answer('MostDuelsWon');
  const { url, token, email } = setup.devnet.description.wizardService;
  const headers = { 'content-type': 'application/json', 'x-api-token': token, 'x-email': email };
  const { duels } = (await (await fetch(`${url}/duels`, { headers })).json()) as { duels: any[] };
  const wins = new Map<string, number>();
  for (const duel of duels.filter(({ endBlock }) => endBlock !== null && endBlock >= variables.from)) {
    const [change1, change2] = [1, 2].map((i) => BigInt(duel[`endPower${i}`]) - BigInt(duel[`startPower${i}`]));
    if (change1 === change2) continue;
    const winner = String(change1! > change2! ? duel.wizard1Id : duel.wizard2Id);
    wins.set(winner, (wins.get(winner) ?? 0) + 1);
  }
  const { nodes } = data.wizards;
  expect(nodes.map(field('record')).map(field('won'))).toEqual([...wins.values()].sort((a, b) => b - a).slice(0, 3));
  for (const { id, record } of nodes) expect(record.won).toBe(wins.get(id));
  expect(nodes[0].record.won).toBeGreaterThan(0);
  expect(http).toBe(0);
});

test('the activity of an address has its transactions and transfers: a call per block and two searches', async () => {
  const { data, variables, methods } = await answer('Activity');
  const { lastBlock } = setup.devnet.description.landmarks;
  const blocks = await Promise.all(
    Array.from({ length: lastBlock - variables.from + 1 }, (_, i) =>
      setup.rpc('eth_getBlockByNumber', hex(variables.from + i), true),
    ),
  );
  const own = blocks
    .flatMap(({ transactions }) => transactions)
    .filter(({ from, to }) => from === variables.address || to === variables.address);
  expect(own.length).toBeGreaterThan(0);
  expect(data.transactionsConnection.nodes.map(field('hash'))).toEqual(own.map(field('hash')));
  const found = await Promise.all(
    [variables.sent, variables.received].map((topics) =>
      setup.rpc('eth_getLogs', {
        fromBlock: hex(variables.from),
        toBlock: 'latest',
        topics: topics.map((values: string[]) => (values.length === 0 ? null : values)),
      }),
    ),
  );
  expect(data.sent.nodes.length + data.received.nodes.length).toBeGreaterThan(0);
  expect([data.sent, data.received].map(({ nodes }) => nodes.length)).toEqual(found.map((logs: unknown[]) => logs.length));
  // Each of the two searches reads once more, by hash, the recent blocks without a log whose bloom filter may match.
  expect(methods).toEqual({ eth_getBlockByHash: blocks.length, eth_getLogs: 2 + 11 });
});

test('the holders of a token have their balances: one search and one call per account', async () => {
  const { data, variables, methods } = await answer('Holders');
  const { nodes, pageInfo } = data.token.transfers;
  const logs = await transferLogs(variables.token, variables.from, variables.to);
  expect(pageInfo.hasNextPage).toBe(false);
  expect(nodes.map(field('to')).map(field('address'))).toEqual(logs.map(({ topics }) => `0x${topics[2]!.slice(26)}`));
  const holders = new Map<string, string>();
  for (const { to } of nodes) holders.set(to.address, to.tokenBalance.balance.raw);
  for (const [owner, raw] of holders) expect(BigInt(raw)).toBe(await balanceOf(variables.token, owner));
  // One more, by hash, for a block without a transfer whose bloom filter may match.
  expect(methods).toEqual({ eth_getLogs: 1 + 1, svc_getTokenBalances: holders.size });
});

test('the transfers of a token in a block have the sum of the logs: one call', async () => {
  const { data, variables, http, methods } = await answer('TransfersOfBlock');
  const { symbol, decimals, transfers } = data.token;
  const logs = await transferLogs(variables.token, variables.block, variables.block);
  expect(logs.length).toBeGreaterThan(1);
  expect({ symbol, decimals }).toEqual({ symbol: 'MANA', decimals: 18 });
  expect(BigInt(transfers.totalAmount)).toBe(logs.reduce((sum, log) => sum + BigInt(log.data), 0n));
  expect(transfers.nodes).toEqual(
    logs.map(({ topics, data: amount, transactionHash }) => ({
      amount: `0x${BigInt(amount).toString(16)}`,
      from: { address: `0x${topics[1]!.slice(26)}` },
      to: { address: `0x${topics[2]!.slice(26)}` },
      log: { transactionHash },
    })),
  );
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getLogs: 1 } });
});

test('the gas trend equals the result of eth_feeHistory: one call', async () => {
  const { data, http, methods } = await answer('GasTrend');
  const { baseFeePerGas, reward } = await setup.rpc('eth_feeHistory', '0x14', 'latest', [10, 50, 90]);
  expect(data.feeHistory.blocks.map(field('baseFeePerGas'))).toEqual(baseFeePerGas.slice(0, 20));
  expect(data.feeHistory.blocks.map(field('rewards'))).toEqual(reward);
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_feeHistory: 1 } });
});

test('the portfolio of the guest has the known tokens that it owns: two calls in one request', async () => {
  const { data, variables, http, methods } = await answer('Portfolio');
  const { accounts, contracts } = setup.devnet.description;
  expect(variables.address).toBe(accounts.at(-1)!.address);
  const balances = await Promise.all(contracts.map(({ address }) => balanceOf(address, variables.address)));
  const owned = contracts.filter((_contract, i) => balances[i]! > 0n);
  expect(data.account.tokenBalances.map(field('token')).map(field('symbol'))).toEqual(owned.map(({ symbol }) => symbol));
  expect(data.account.tokenBalances.map(field('balance')).map(field('formatted'))).toEqual(['250', '40.5', '7']);
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getBalance: 1, svc_getTokenBalances: 1 } });
});

test('the block at a time is the last one that is not later, without a call while the headers are known', async () => {
  const { data, variables, http } = await answer('BlockAt');
  const height = Number(data.block.number);
  const [block, next] = await Promise.all([height, height + 1].map((n) => setup.rpc('eth_getBlockByNumber', hex(n), false)));
  expect(Number(block!.timestamp)).toBeLessThanOrEqual(variables.time);
  expect(Number(next!.timestamp)).toBeGreaterThan(variables.time);
  expect(http).toBe(0);
});

test('pages of transfers have every transfer once, forwards and backwards, and filters by account', async () => {
  const { token } = questions.get('Holders')!.variables;
  const expected = (await transferLogs(token, 0, 31)).map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`);
  for (const [size, cursor, end, more] of [
    ['first', 'after', 'endCursor', 'hasNextPage'],
    ['last', 'before', 'startCursor', 'hasPreviousPage'],
  ] as const) {
    const pages: string[][] = [];
    for (let at: string | null = null, hasMore = true; hasMore; ) {
      const { data, errors }: HttpResponse = await setup.graph.execute(
        `query ($at: String) { token(address: "${token}") { page: transfers(${size}: 60, ${cursor}: $at) {
          edges { cursor node { log { cursor blockNumber index transaction { value } block { timestamp } } } }
          pageInfo { ${end} ${more} }
        } } }`,
        { at },
      );
      expect(errors).toBeUndefined();
      for (const edge of data.token.page.edges) expect(edge.cursor).toBe(edge.node.log.cursor);
      pages.push(data.token.page.edges.map(({ node }: any) => `${node.log.blockNumber} ${node.log.index}`));
      at = data.token.page.pageInfo[end];
      hasMore = data.token.page.pageInfo[more];
    }
    expect((size === 'last' ? pages.reverse() : pages).flat()).toEqual(expected);
  }
  const guest = setup.devnet.description.accounts[10]!.address;
  const { data } = await setup.graph.execute(`{ token(address: "${token}") {
    to: transfers(to: "${guest}") { nodes { from { address } to { address } } totalAmount }
    from: transfers(from: "${guest}") { nodes { amount } totalAmount }
  } }`);
  expect(data.token.to.nodes).toEqual([
    { from: { address: setup.devnet.description.accounts[0]!.address }, to: { address: guest } },
  ]);
  expect(BigInt(data.token.to.totalAmount)).toBe(250n * 10n ** 18n);
  expect(data.token.from).toEqual({ nodes: [], totalAmount: '0x0' });
});

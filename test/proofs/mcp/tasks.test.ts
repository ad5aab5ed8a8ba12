import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Wallet } from 'ethers';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { rpc } from '../../support/graph/rpc.ts';
import { type StdioAgent, startStdioAgent } from '../../support/mcp/agent.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Tasks about the embedded world, solved with the tools of `grimoire mcp` and checked against the node. */
let agent: StdioAgent;
let graphUrl: string;
let devnet: DevnetDescription;

const GRAPH_URL = /graph +(http:\S+)\/graphql/;

beforeAll(async () => {
  // WORKERS is ignored.
  agent = await startStdioAgent({ DEVNET_LIFE: 'off', MCP_MUTATIONS: 'on', WORKERS: '2' });
  await waitUntil(() => GRAPH_URL.test(agent.errorOutput()), 'the server has printed its ready message');
  graphUrl = GRAPH_URL.exec(agent.errorOutput())![1]!;
  devnet = (await (await fetch(`${graphUrl}/devnet.json`)).json()) as DevnetDescription;
});

afterAll(async () => {
  // Standard output carried only MCP.
  expect(agent.invalidMessages).toEqual([]);
  await agent.close();
});

const callNode = (method: string, ...params: unknown[]) => rpc(devnet.endpoints.http, method, params);
const execute = async (query: string, variables?: Record<string, unknown>) =>
  (await agent.call('execute_operation', { query, ...(variables && { variables }) })).value.data;
const search = async (query: string): Promise<string[]> =>
  (await agent.call('search_schema', { query })).value.matches.map(({ coordinate }: { coordinate: string }) => coordinate);

test('an agent can find the balance of alice in ether', async () => {
  expect(await search('balance of an account in ether')).toContain('Account.balanceIn');
  const { address } = devnet.accounts.find(({ name }) => name === 'alice')!;
  const data = await execute('query ($a: Address!) { account(address: $a) { balance balanceIn(unit: ETHER) } }', { a: address });
  const wei = await callNode('eth_getBalance', address, 'latest');
  expect(data.account.balance).toBe(wei);
  expect(Number(data.account.balanceIn)).toBeCloseTo(Number(BigInt(wei)) / 1e18, 9);
});

test('an agent can correct an operation with a field that does not exist', async () => {
  const validate = async (query: string) => (await agent.call('validate_operation', { query })).value;
  const { valid, problems } = await validate('{ block { transactionsCount } }');
  expect(valid).toBe(false);
  expect(problems[0].message).toContain('Did you mean "transactionCount"');
  expect(await validate('{ block { transactionCount } }')).toEqual({ valid: true, operation: 'query', problems: [] });
});

test('an agent can send a signed transaction and wait for its receipt', async () => {
  expect(await search('submit a signed transaction and wait for its receipt')).toContain('Mutation.submitTransaction');
  const signed = await new Wallet(devnet.accounts.at(-1)!.privateKey).signTransaction({
    ...{ type: 2, chainId: devnet.chainId, nonce: 0, to: devnet.accounts[0]!.address, value: 1_000n, gasLimit: 21_000n },
    ...{ maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
  });
  const { submitTransaction } = await execute(
    'mutation ($d: Bytes!) { submitTransaction(input: { data: $d, waitMs: 5000 }) { hash receipt { blockNumber status } } }',
    { d: signed },
  );
  const { blockNumber, status } = await callNode('eth_getTransactionReceipt', submitTransaction.hash);
  expect(submitTransaction.receipt).toEqual({ blockNumber, status });
});

test('an agent can watch the next three blocks', async () => {
  const collected = agent.call('collect_events', { query: 'subscription { newHeads { number hash } }', count: 3 });
  const hasSubscription = async () =>
    (await (await fetch(`${graphUrl}/metrics`)).text()).includes('\ngrimoire_subscriptions 1\n');
  await waitUntil(hasSubscription, 'the subscription has started');
  for (let block = 0; block < 3; block += 1) await callNode('evm_mine');
  const { events, ended } = (await collected).value;
  expect([events.length, ended]).toEqual([3, 'COUNT']);
  for (const { data } of events) {
    const { number, hash } = data.newHeads;
    expect((await callNode('eth_getBlockByNumber', number, false)).hash).toBe(hash);
  }
});

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Devnet } from '../../../devnet/src/index.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { postJson } from '../../support/clients/post-json.ts';
import { startTestDevnet } from '../../support/devnet.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';
import { dataOf, field } from '../../support/graph/results.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { type NodeProxy, startProxy } from '../../support/proxies/node-proxy.ts';
import { startTestServer } from '../../support/test-server.ts';
import { waitUntil } from '../../support/wait-until.ts';

/**
 * Tokens over four nodes of one chain: with the svc_ methods, with the alchemy_ methods, with neither, and with neither and without
 * Multicall3. All must return the same data.
 */
const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11';
const REVERTING = `0x${'0a'.repeat(20)}`;
const ENDLESS = `0x${'0b'.repeat(20)}`;
const HEAVY = `0x${'0e'.repeat(20)}`;
const ODD = `0x${'0c'.repeat(20)}`;
const NOBODY = `0x${'0d'.repeat(20)}`;
const CODE: Record<string, string> = {
  [REVERTING]: '0x60006000fd',
  // An endless loop.
  [ENDLESS]: '0x5b600056',
  // Uses 100,000 gas and returns 42.
  [HEAVY]: '0x6110005b6001900380600357602a60005260206000f3',
  // Returns one byte for every call.
  [ODD]: '0x60016000f3',
};

let devnet: Devnet;
let listFile: string;
const proxies: Record<string, NodeProxy> = {};
const graphs: Record<string, RunningGraph> = {};

/** A proxy of the node service with the prefix alchemy_. */
async function startVendor(target: string) {
  const server = createServer(async (request, response) => {
    const renamed = JSON.parse(await text(request), (key, value) =>
      key === 'method' && /^(?:svc|alchemy)_/.test(value) ? (value.startsWith('svc_') ? 'none' : `svc_${value.slice(8)}`) : value,
    );
    const answer = await postJson(target, renamed);
    const body = await answer.text();
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  return startTestServer(server);
}

beforeAll(async () => {
  devnet = await startTestDevnet();
  const { nodeService, endpoints } = devnet.description;
  for (const [address, code] of Object.entries(CODE)) await rpc(endpoints.http, 'anvil_setCode', [address, code]);
  await rpc(endpoints.http, 'evm_mine', []);
  const vendor = await startVendor(nodeService.http);
  listFile = join(createTemporaryFolder(), 'list.json');
  writeFileSync(listFile, JSON.stringify(devnet.description.tokenList));
  const targets = { svc: nodeService.http, alchemy: vendor.url, plain: endpoints.http, bare: endpoints.http };
  await Promise.all(
    Object.entries(targets).map(async ([name, target]) => {
      proxies[name] = await startProxy(target);
      graphs[name] = await serveGraph({
        RPC_URL: proxies[name]!.url,
        RPC_WS_URL: endpoints.ws,
        TOKEN_LISTS: listFile,
        CACHE_BYTES: '0',
      });
    }),
  );
  proxies.bare!.intercept = ({ method, params }) =>
    method === 'eth_call' && params[0].to === MULTICALL3 ? { result: '0x' } : undefined;
  // The first query detects the methods of the node.
  for (const graph of Object.values(graphs))
    await graph.execute(`{ account(address: "${NOBODY}") { tokenBalances(contracts: ["${NOBODY}", "${ODD}"]) { error } } }`);
});

beforeEach(() => {
  for (const proxy of Object.values(proxies)) proxy.takeCounts();
});

const lists = (addresses: readonly string[]) => JSON.stringify(addresses);

/** Executes an operation without errors over one of the nodes, and counts its upstream calls. */
async function cost(name: string, query: string) {
  const { data, errors } = await graphs[name]!.execute(query);
  expect([name, errors]).toEqual([name, undefined]);
  return { data, ...proxies[name]!.takeCounts() };
}

const FIELDS = `contractAddress tokenBalance error owner { address } balance { raw value formatted token { symbol decimals } }
  token { address name symbol decimals logo account { balance } totalSupply { value formatted } }`;

const queries = (): Record<string, string> => {
  const { accounts, contracts, landmarks } = devnet.description;
  const [alice, bob] = accounts.map(({ address }) => address);
  const tokens = contracts.map(({ address }) => address);
  const all = lists([...tokens, REVERTING, ENDLESS, ODD, NOBODY, alice!, tokens[0]!]);
  // Each call of the endless contract costs anvil its whole gas limit, so only the first query has it.
  const ending = lists([...tokens, REVERTING, ODD, NOBODY, alice!, tokens[0]!]);
  return {
    'balances of all kinds of contracts': `{ account(address: "${alice}") { tokenBalances(contracts: ${all}) { ${FIELDS} } } }`,
    'balances of several holders': `{ ${accounts.map(({ address }, i) => `a${i}: account(address: "${address}") { tokenBalances(contracts: ${lists(tokens)}) { tokenBalance } }`).join(' ')} }`,
    'balances that need gas after one that leaves little': `{
      first: account(address: "${alice}") { tokenBalance(contract: "${ENDLESS}") { error } }
      ${accounts.map(({ address }, i) => `a${i}: account(address: "${address}") { tokenBalance(contract: "${HEAVY}") { tokenBalance } }`).join(' ')}
    }`,
    'balances in past blocks': `{
      before: block(number: 1) { account(address: "${bob}") { tokenBalances(contracts: ${ending}) { ${FIELDS} } } }
      first: block(number: 2) { account(address: "${bob}") { tokenBalances(contracts: ${ending}) { ${FIELDS} } } }
      token(address: "${tokens[0]}") { then: totalSupply(block: 0) { value } balanceOf(owner: "${bob}", block: ${landmarks.lastBlock - 1}) { tokenBalance balance { formatted } } }
    }`,
    allowances: `{
      tokenAllowance(contract: "${tokens[0]}", owner: "${alice}", spender: "${bob}") { raw value formatted token { name } }
      none: tokenAllowance(contract: "${REVERTING}", owner: "${alice}", spender: "${bob}") { value }
      nobody: tokenAllowance(contract: "${NOBODY}", owner: "${alice}", spender: "${bob}") { value }
      account(address: "${alice}") { tokenAllowance(contract: "${tokens[0]}", spender: "${bob}") { value } }
      block(number: 4) { account(address: "${alice}") { tokenAllowance(contract: "${tokens[0]}", spender: "${bob}") { value } } }
      token(address: "${tokens[0]}") { allowance(owner: "${alice}", spender: "${bob}") { formatted } }
    }`,
    'token metadata': `{ tokens(addresses: ${ending}) { address name symbol decimals logo totalSupply { value } } }`,
    'accounts that are tokens, and not': `{ ${[tokens[2]!, alice!, NOBODY, REVERTING].map((address, i) => `a${i}: account(address: "${address}") { token { name symbol } }`).join(' ')} }`,
  };
};

test('token queries return the same data on every kind of node', async () => {
  for (const [name, query] of Object.entries(queries())) {
    const { data } = await cost('svc', query);
    for (const other of ['alchemy', 'plain', 'bare'])
      expect([name, other, (await cost(other, query)).data]).toEqual([name, other, data]);
  }
});

describe('upstream requests of tokens', () => {
  const holders = () => devnet.description.accounts.slice(0, 3).map(({ address }) => address);
  const balances = (owners: readonly string[]) =>
    `{ ${owners.map((owner, i) => `a${i}: account(address: "${owner}") { tokenBalances(contracts: ${lists(devnet.description.contracts.map(({ address }) => address))}) { tokenBalance } }`).join(' ')} }`;

  test.each([
    ['svc', { svc_getTokenBalances: 1 }],
    ['alchemy', { alchemy_getTokenBalances: 1 }],
    ['plain', { eth_call: 1 }],
    ['bare', { eth_call: 4 }],
  ])('all token balances of one holder cost one request (%s)', async (name, methods) => {
    expect(await cost(name, balances(holders().slice(0, 1)))).toMatchObject({ http: 1, methods });
  });

  test.each([
    ['svc', { svc_getTokenMetadata: 4 }],
    ['plain', { eth_call: 1 }],
  ])('metadata of all tokens costs one request, then none (%s)', async (name, methods) => {
    const { nodeService, endpoints } = devnet.description;
    const proxy = await startProxy(name === 'svc' ? nodeService.http : endpoints.http);
    const graph = await serveGraph({ RPC_URL: proxy.url, RPC_WS_URL: endpoints.ws, CACHE_BYTES: '0' });
    await graph.execute(`{ token(address: "${NOBODY}") { name } }`);
    proxy.takeCounts();
    const query = `{ tokens(addresses: ${lists(devnet.description.contracts.map(({ address }) => address))}) { symbol } }`;
    const data = await dataOf(graph.execute(query));
    expect(data.tokens.slice(0, 3)).toEqual([{ symbol: 'MANA' }, { symbol: 'CRWN' }, { symbol: 'RUNE' }]);
    // The bare token has only a supply, which the plain node must read.
    expect(proxy.posts[0]!.filter((method) => method in methods)).toHaveLength(Object.values(methods)[0]!);
    proxy.takeCounts();
    await graph.execute(query);
    expect(proxy.takeCounts().methods).not.toHaveProperty('svc_getTokenMetadata');
    await graph.stop();
  });

  test('token balances, metadata and account state cost one request', async () => {
    const [owner] = holders();
    const { address } = devnet.description.contracts[0]!;
    const query = `{ account(address: "${owner}") { balance tokenBalance(contract: "${address}") { balance { formatted } token { symbol } } } }`;
    for (const name of ['svc', 'plain']) expect(await cost(name, query)).toMatchObject({ http: 1, calls: 2 });
  });
});

test('a token balance is of the pinned block when the head moves before svc_getTokenBalances responds', async () => {
  const { endpoints, accounts, contracts } = devnet.description;
  const [owner] = accounts;
  proxies.svc!.rewrite = async (body) => {
    proxies.svc!.rewrite = undefined;
    const head = await rpc(endpoints.http, 'eth_blockNumber', []);
    await rpc(endpoints.http, 'evm_mine', []);
    // The head of the service is then newer than the pinned block.
    const hasMoved = async () => (await graphs.svc!.execute('{ block { number } }')).data.block.number !== head;
    await waitUntil(hasMoved, 'the graph has the next block');
    return body;
  };
  const query = `{ account(address: "${owner!.address}") { tokenBalance(contract: "${contracts[0]!.address}") { tokenBalance } } }`;
  const { data, methods } = await cost('svc', query);
  expect(methods).toEqual({ svc_getTokenBalances: 1, eth_call: 1 });
  expect(data.account.tokenBalance.tokenBalance).toMatch(/^0x[0-9a-f]{64}$/);
});

test('a token balance is read from the contract at the head when the request has a minimum block', async () => {
  const { accounts, contracts } = devnet.description;
  proxies.svc!.takeCounts();
  const response = await postJson(
    `${graphs.svc!.url}/graphql`,
    {
      query: `{ account(address: "${accounts[0]!.address}") { tokenBalance(contract: "${contracts[0]!.address}") { tokenBalance } } }`,
    },
    { 'x-graph-min-block': '1' },
  );
  expect(await response.json()).not.toHaveProperty('errors');
  expect(proxies.svc!.takeCounts().methods).toEqual({ eth_call: 1 });
});

describe('temporary failures of the node', () => {
  let running: RunningGraph | undefined;
  const own = async (target: string) => {
    const proxy = await startProxy(target);
    const graph = await serveGraph({ RPC_URL: proxy.url, RPC_WS_URL: devnet.description.endpoints.ws });
    running = graph;
    return { proxy, ask: (query: string) => graph.execute(query), url: graph.url };
  };

  afterEach(() => running?.stop());

  const mana = () => devnet.description.contracts[0]!.address;
  const refuse =
    (method: string, message: string, code = -32000) =>
    (call: { method: string }) =>
      call.method === method ? { error: { code, message } } : undefined;

  test('a failed eth_call for metadata fails with UPSTREAM_ERROR and is not cached', async () => {
    const { proxy, ask } = await own(devnet.description.endpoints.http);
    proxy.intercept = refuse('eth_call', 'backend overloaded, try again');
    const query = `{ token(address: "${mana()}") { symbol } }`;
    expect((await ask(query)).errors![0]!.extensions).toMatchObject({ code: 'UPSTREAM_ERROR', method: 'eth_call' });
    proxy.intercept = undefined;
    expect((await ask(query)).data).toEqual({ token: { symbol: 'MANA' } });
  });

  test('metadata comes from the contract while svc_getTokenMetadata fails, and from the service afterwards', async () => {
    const { proxy, ask } = await own(devnet.description.nodeService.http);
    const query = `{ token(address: "${mana()}") { symbol logo } }`;
    await ask(`{ token(address: "${NOBODY}") { symbol } }`);
    proxy.intercept = refuse('svc_getTokenMetadata', 'database is busy');
    expect((await ask(query)).data).toEqual({ token: { symbol: 'MANA', logo: null } });
    proxy.intercept = undefined;
    expect((await ask(query)).data.token.logo).toMatch(/^data:image/);
  });

  test('a balance that svc_getTokenBalances lacks comes from the contract', async () => {
    const { proxy, ask } = await own(devnet.description.nodeService.http);
    const [owner] = devnet.description.accounts;
    const [first, second, third] = devnet.description.contracts.map(({ address }) => address);
    const query = `{ account(address: "${owner!.address}") { tokenBalances(contracts: ${lists([first!, second!, third!])}) { tokenBalance error } } }`;
    const right = await ask(query);
    expect(right.data.account.tokenBalances.map(field('error'))).toEqual([null, null, null]);
    proxy.intercept = ({ method, params: [address, contracts] }) =>
      method === 'svc_getTokenBalances'
        ? { result: { address, tokenBalances: [{ contractAddress: contracts[0], tokenBalance: null, error: 'timed out' }] } }
        : undefined;
    expect((await ask(query)).data).toEqual(right.data);
  });

  test('a block before Multicall3 does not disable Multicall3 for other blocks', async () => {
    const { proxy, ask, url } = await own(devnet.description.endpoints.http);
    proxy.intercept = ({ method, params }) =>
      method === 'eth_call' &&
      params[0].to === MULTICALL3 &&
      JSON.stringify(params[1]) === JSON.stringify({ blockHash: first.hash })
        ? { result: '0x' }
        : undefined;
    const first = await rpc(devnet.description.endpoints.http, 'eth_getBlockByNumber', ['0x2', false]);
    const [owner] = devnet.description.accounts;
    const query = `{ account(address: "${owner!.address}") { tokenBalances(contracts: ${lists(devnet.description.contracts.map(({ address }) => address))}) { tokenBalance } } }`;
    await ask(`{ token(address: "${NOBODY}") { symbol } }`);
    const old = await postJson(`${url}/graphql`, { query }, { 'x-graph-block': '0x2' });
    expect(await old.json()).not.toHaveProperty('errors');
    proxy.takeCounts();
    await ask(query);
    expect(proxy.takeCounts().methods).toEqual({ eth_call: 1 });
  });
});

test('a list of more than 100 contracts fails with BAD_USER_INPUT', async () => {
  const many = lists(Array.from({ length: 101 }, (_none, i) => `0x${String(i).padStart(40, '0')}`));
  for (const query of [
    `{ tokens(addresses: ${many}) { name } }`,
    `{ account(address: "${NOBODY}") { tokenBalances(contracts: ${many}) { error } } }`,
  ]) {
    const { errors } = await graphs.svc!.execute(query);
    expect(errors![0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT', limit: 100, actual: 101 } });
  }
});

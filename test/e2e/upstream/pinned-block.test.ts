import { once } from 'node:events';
import { createServer, connect as dial, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type Devnet, startDevnet } from '../../../src/devnet/index.ts';
import { type DevnetSetup, rpc, startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { type HttpResponse, type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { type Relay, startRelay } from '../../support/proxies/relay.ts';
import { CLIENT_HEADERS } from '../../support/secrets.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';

/** One operation, one block: whatever the chain and the nodes do while it is answered. */
type Rpc = <T = any>(method: string, ...params: unknown[]) => Promise<T>;
type AddressEntry = { readonly address: string };
type PinnedResponse = HttpResponse & { readonly extensions?: { readonly block?: BlockName } };
type BlockName = { readonly number: string; readonly hash: string; readonly parentHash: string };

const hex = (n: number): string => `0x${n.toString(16)}`;
const word = (n: number | string): string => BigInt(n).toString(16).padStart(64, '0');

const startQuietDevnet = () => startDevnet({ hasActivity: false, log: pino({ level: 'silent' }) });
const rpcOf =
  ({ description }: Devnet): Rpc =>
  (method, ...params) =>
    rpc(description.endpoints.http, method, params);

/** Asks under a header that names a block. */
async function executeAtBlock(url: string, block: string, query: string): Promise<PinnedResponse> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...CLIENT_HEADERS, 'x-graph-block': block },
    body: JSON.stringify({ query }),
  });
  return { status: response.status, headers: response.headers, ...((await response.json()) as { data: any }) };
}

const executeQuery = (graph: RunningGraph, query: string): Promise<PinnedResponse> => graph.execute(query);
const codes = ({ errors }: HttpResponse) => errors?.map(({ extensions }) => extensions.code as string) ?? [];
const nameOf = ({ number, hash, parentHash }: BlockName): BlockName => ({ number, hash, parentHash });

/** Shorter than the test's own limit, so that a failure says what never came. */
const HEAD_TIMEOUT_MS = 60_000;

/** Asks until the graph answers from this block. */
async function waitForGraphHead(graph: RunningGraph, hash: string): Promise<void> {
  const deadline = performance.now() + HEAD_TIMEOUT_MS;
  while ((await executeQuery(graph, '{ block { hash } }')).data?.block?.hash !== hash) {
    if (performance.now() > deadline) throw new Error('the graph has not come to the head of the node');
  }
}

/** Asks until something is so of what a path of the server tells. */
async function pollEndpoint<T>(
  graph: RunningGraph,
  path: string,
  isSo: (response: Response, body: string) => T | undefined,
): Promise<T> {
  const deadline = performance.now() + HEAD_TIMEOUT_MS;
  for (;;) {
    const response = await fetch(`${graph.url}${path}`);
    const found = isSo(response, await response.text());
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`${path} never told that`);
  }
}

/** What is changed by blocks whose transactions move amounts of their own: ether, and a token, which leaves a log. */
function miner(devnet: Devnet, call: Rpc) {
  const [{ address: alice }, { address: bob }] = devnet.description.accounts as unknown as [AddressEntry, AddressEntry];
  const token = devnet.description.contracts[0]!.address;
  let amount = 1;
  return async (blocks: number): Promise<string> => {
    let sent = '';
    await call('evm_setAutomine', false);
    for (let i = 0; i < blocks; i++, amount++) {
      sent = await call('eth_sendTransaction', { from: alice, to: bob, value: hex(amount), gas: '0x5208' });
      const data = `0xa9059cbb${word(bob)}${word(amount)}`;
      await call('eth_sendTransaction', { from: alice, to: token, data, gas: '0x186a0' });
      await call('evm_mine');
    }
    await call('evm_setAutomine', true);
    return sent;
  };
}

/** A question about everything in the newest blocks, over several round trips. */
const everything = (alice: string, base: number, transaction: string) => `{
  block { number hash parentHash transactions { hash value status from { balance } logs { data } } receipts { gasUsed } }
  account(address: "${alice}") { balance transactionCount storage(slot: "0x${word(0)}") }
  blocks(from: ${base}) { number hash parentHash confirmations finalized transactionCount account(address: "${alice}") { balance } }
  logs(filter: { fromBlock: ${base} }) { blockNumber data transaction { hash value } block { transactionCount timestamp } }
  head: logs(filter: {}) { index data }
  counts: block(number: ${base + 2}) { transactionCount ommerCount }
  transaction(hash: "${transaction}") { value state confirmations blockNumber receipt { status cumulativeGasUsed } }
  old: block(number: 20) { confirmations transactionCount }
}`;

/** Fails unless each part is what it should be, or is missing and an error says so. */
function expectAgreement(
  part: unknown,
  right: unknown,
  errors: HttpResponse['errors'],
  path: readonly (string | number)[] = [],
): void {
  const where = path.join('.');
  if (part === null && right !== null) {
    const explained = errors?.some(({ path: at }) => path.every((step, i) => at?.[i] === step));
    if (!explained) throw new Error(`${where} is null and no error says why`);
  } else if (Array.isArray(right)) {
    if (!Array.isArray(part) || part.length !== right.length) throw new Error(`${where} has another length`);
    right.forEach((item, i) => {
      expectAgreement(part[i], item, errors, [...path, i]);
    });
  } else if (typeof right === 'object' && right !== null) {
    for (const [key, value] of Object.entries(right)) expectAgreement((part as any)[key], value, errors, [...path, key]);
  } else if (part !== right) throw new Error(`${where} is ${part}, and should be ${right}`);
}

describe('a reorganisation in the middle of an operation', () => {
  let devnet: Devnet;
  let call: Rpc;
  let relay: Relay;
  let graph: RunningGraph;
  let mine: (blocks: number) => Promise<string>;
  let alice: string;

  beforeAll(async () => {
    devnet = await startQuietDevnet();
    call = rpcOf(devnet);
    mine = miner(devnet, call);
    alice = devnet.description.accounts[0]!.address;
    relay = await startRelay(devnet.description.nodeService.http);
    graph = await startGraph({ RPC_URL: relay.url, RPC_WS_URL: devnet.description.nodeService.ws, CACHE_BYTES: '0' });
  });

  afterAll(async () => {
    await graph?.stop();
    await devnet?.stop();
  });

  /** Three blocks that are about to go, how they are answered while they are there, and what takes them away. */
  async function doomed(kind: string, over = graph) {
    const base = Number(await call('eth_blockNumber'));
    const before = await call('evm_snapshot');
    const transaction = await mine(3);
    const head = await call('eth_getBlockByNumber', 'latest', false);
    await waitForGraphHead(over, head.hash);
    const query = everything(alice, base, transaction);
    relay.resetCounts();
    const right = await executeQuery(over, query);
    expect(right.errors).toBeUndefined();
    expect(right.extensions!.block).toEqual(nameOf(head));
    const points = relay.resetCounts();
    const reorganise = async () => {
      if (kind === 'of the same height') return call('anvil_reorg', 3, []);
      await call('evm_revert', before);
      await mine(kind === 'that is longer' ? 4 : 2);
    };
    return { base, head, query, right, points, reorganise };
  }

  test('what the answer is compared with is what the node says of that block', async () => {
    const { right, head, base } = await doomed('none');
    const at = { blockHash: head.hash };
    expect(right.data.account).toEqual({
      balance: await call('eth_getBalance', alice, at),
      transactionCount: await call('eth_getTransactionCount', alice, at),
      storage: await call('eth_getStorageAt', alice, '0x0', at),
    });
    const blocks = await Promise.all([0, 1, 2, 3].map((i) => call('eth_getBlockByNumber', hex(base + i), false)));
    expect(right.data.blocks.map(nameOf)).toEqual(blocks.map(nameOf));
    expect(right.data.blocks.map((one: any) => one.confirmations)).toEqual(['0x4', '0x3', '0x2', '0x1']);
    const balances = await Promise.all(blocks.map(({ hash }) => call('eth_getBalance', alice, { blockHash: hash })));
    expect(right.data.blocks.map((one: any) => one.account.balance)).toEqual(balances);
    const logs = await call('eth_getLogs', { fromBlock: hex(base), toBlock: head.number });
    expect(right.data.logs.map((log: any) => log.data)).toEqual(logs.map((log: any) => log.data));
    expect(right.data.transaction).toMatchObject({ state: 'MINED', confirmations: '0x1', blockNumber: head.number });
  });

  test.each(['that is longer', 'of the same height', 'that is shorter'])(
    'by a branch %s, before each of its calls: the parts agree with the block that is named, or are BLOCK_NOT_AVAILABLE',
    async (kind) => {
      let { points } = await doomed(kind);
      const outcomes = new Set<string>();
      for (let point = 0; point < points; point++) {
        const { query, right, head, reorganise, ...now } = await doomed(kind);
        points = now.points;
        let done: Promise<unknown> | undefined;
        relay.beforeCall = (_call, index) => {
          if (index !== point) return undefined;
          done = reorganise();
          return done;
        };
        const answer = await executeQuery(graph, query);
        relay.beforeCall = undefined;
        // An answer may come before the call that was held back for it: a null high up hides what was asked below.
        await done;
        expect(answer.extensions!.block).toEqual(nameOf(head));
        expect(codes(answer).filter((code) => code !== 'BLOCK_NOT_AVAILABLE')).toEqual([]);
        if (answer.data) expectAgreement(answer.data, right.data, answer.errors);
        outcomes.add(answer.errors ? 'in part' : 'whole');
      }
      expect(points).toBeGreaterThan(20);
      expect(outcomes.has('in part')).toBe(true);
    },
    // Forty reorganisations and more, each with the blocks that it takes.
    400_000,
  );

  test('that polls have not noticed yet leaves agreeing parts as well, or BLOCK_NOT_AVAILABLE, or STALE_UPSTREAM', async () => {
    const polls = await startRelay(devnet.description.nodeService.http);
    const polling = await startGraph({ RPC_URL: polls.url, CACHE_BYTES: '0' });
    const { points } = await doomed('that is longer');
    for (let point = 0; point < points; point += 4) {
      const { query, right, head, reorganise } = await doomed('that is longer', polling);
      let index = 0;
      let done: Promise<unknown> | undefined;
      polls.beforeCall = () => {
        if (index++ === point) done = reorganise();
        return done;
      };
      const answer = await executeQuery(polling, query);
      polls.beforeCall = undefined;
      await (done ?? reorganise());
      expect(answer.extensions!.block).toEqual(nameOf(head));
      for (const code of codes(answer)) expect(['STALE_UPSTREAM', 'BLOCK_NOT_AVAILABLE']).toContain(code);
      if (answer.data) expectAgreement(answer.data, right.data, answer.errors);
    }
    await polling.stop();
  }, 400_000);

  test('the same question afterwards is answered from the new head, and nothing of the old one is left', async () => {
    const { query, reorganise, base } = await doomed('that is longer');
    await reorganise();
    const head = await call('eth_getBlockByNumber', 'latest', false);
    await waitForGraphHead(graph, head.hash);
    const { data, errors, extensions } = await executeQuery(graph, query);
    expect({ errors, block: extensions!.block }).toEqual({ errors: undefined, block: nameOf(head) });
    expect(data.transaction).toBeNull();
    const blocks = await Promise.all([0, 1, 2, 3, 4].map((i) => call('eth_getBlockByNumber', hex(base + i), false)));
    expect(data.blocks.map(nameOf)).toEqual(blocks.map(nameOf));
    expect(data.account.balance).toBe(await call('eth_getBalance', alice, { blockHash: head.hash }));
  });
});

describe('a balancer before two nodes of which the second lags', () => {
  let fresh: Devnet;
  let lagging: Devnet;
  let call: Rpc;
  let relay: Relay;
  let graph: RunningGraph;
  let query: string;
  let right: PinnedResponse;
  let nodes: readonly [string, string];
  let newest: string;

  beforeAll(async () => {
    [fresh, lagging] = await Promise.all([startQuietDevnet(), startQuietDevnet()]);
    call = rpcOf(fresh);
    nodes = [fresh.description.nodeService.http, lagging.description.nodeService.http];
    const base = fresh.description.landmarks.lastBlock;
    newest = await miner(fresh, call)(3);
    relay = await startRelay(nodes[0]);
    graph = await startGraph({ RPC_URL: relay.url, RPC_WS_URL: fresh.description.nodeService.ws, CACHE_BYTES: '0' });
    query = everything(fresh.description.accounts[0]!.address, base, newest);
    right = await executeQuery(graph, query);
    expect(right.errors).toBeUndefined();
  });

  afterAll(async () => {
    await graph?.stop();
    await Promise.all([fresh?.stop(), lagging?.stop()]);
  });

  beforeEach(() => {
    relay.resetCounts();
  });

  test('both have the same history', async () => {
    const [a, b] = await Promise.all(nodes.map((url) => rpc(url, 'eth_getBlockByNumber', ['0x1f', false])));
    expect(a).toEqual(b);
    expect(await rpc(nodes[1], 'eth_blockNumber', [])).toBe('0x1f');
  });

  test.each([
    ['by turns', (post: number) => post % 2],
    ['by turns, the one that lags first', (post: number) => (post + 1) % 2],
    ['the one that lags, three times', (post: number) => (post < 3 ? 1 : 0)],
    ['the one that lags, every third time', (post: number) => (post % 3 === 1 ? 1 : 0)],
  ])('which asks %s: the answer is the right one', async (_how, pick) => {
    relay.route = (post) => nodes[pick(post)]!;
    const { data, errors, extensions } = await executeQuery(graph, query);
    expect({ errors, extensions }).toEqual({ errors: undefined, extensions: right.extensions });
    expect(data).toEqual(right.data);
  });

  test.each([
    ['the one that lags alone', () => 1],
    ['the one that lags from the second request on', (post: number) => (post > 0 ? 1 : 0)],
    ['the one that lags from the third request on', (post: number) => (post > 1 ? 1 : 0)],
  ])('which asks %s: what comes is right, and what is missing is STALE_UPSTREAM', async (_how, pick) => {
    relay.route = (post) => nodes[pick(post)]!;
    const since = performance.now();
    const answer = await executeQuery(graph, query);
    expect(performance.now() - since).toBeLessThan(8_000);
    expect(answer.extensions).toEqual(right.extensions);
    expect(codes(answer)).toContain('STALE_UPSTREAM');
    expect(codes(answer).filter((code) => !['STALE_UPSTREAM', 'BLOCK_NOT_AVAILABLE'].includes(code))).toEqual([]);
    if (answer.data) expectAgreement(answer.data, right.data, answer.errors);
  });

  // Each alone, since a null at the root would hide the others.
  test('which asks the one that lags alone: whatever is newer than it is an error, never null, empty or old', async () => {
    const { hash } = right.data.block;
    const token = fresh.description.contracts[0]!.address;
    const questions = [
      '{ block { transactions { hash } } }',
      '{ block { receipts { status } } }',
      '{ block { nextBaseFeePerGas } }',
      '{ block(number: 33) { transactionCount } }',
      `{ block(hash: "${hash}") { size } }`,
      `{ block(hash: "${hash}") { transactionAt(index: 0) { value } } }`,
      '{ blocks(from: 30) { size } }',
      '{ logs(filter: { fromBlock: 20 }) { data } }',
      '{ logs(filter: {}) { data } }',
      `{ account(address: "${token}") { storage(slot: "0x${word(0)}") balance } }`,
      `{ transaction(hash: "${newest}") { value state } }`,
      `{ receipt(hash: "${newest}") { status } }`,
    ];
    const askAll = () => Promise.all(questions.map((question) => executeQuery(graph, question)));
    relay.route = () => nodes[0];
    const clean = await askAll();
    relay.route = () => nodes[1];
    const answers = await askAll();
    for (const [i, answer] of answers.entries()) {
      const found = { question: questions[i], errors: clean[i]!.errors, codes: [...new Set(codes(answer))] };
      expect(found).toEqual({ question: questions[i], errors: undefined, codes: ['STALE_UPSTREAM'] });
      if (answer.data) expectAgreement(answer.data, clean[i]!.data, answer.errors);
    }
  });

  test('which asks the one that lags about what both have is right at once', async () => {
    // What was asked for the answers before may still be under way.
    while (relay.resetCounts() > 0) await sleep(500);
    relay.route = () => nodes[1];
    const { revertedTransaction } = fresh.description.landmarks;
    const { data, errors } = await executeQuery(
      graph,
      `{ block(number: 31) { transactionCount } transaction(hash: "${revertedTransaction}") { status confirmations } }`,
    );
    expect(errors).toBeUndefined();
    expect(data.transaction.status).toBe('0x0');
    expect(relay.resetCounts()).toBeLessThan(5);
  });

  test('behind which a transaction that neither has is null, and one that is pending is PENDING', async () => {
    relay.route = (post) => nodes[post % 2]!;
    const unknown = await executeQuery(
      graph,
      `{ transaction(hash: "0x${'1'.repeat(64)}") { value } receipt(hash: "0x${'1'.repeat(64)}") { status } }`,
    );
    expect({ data: unknown.data, errors: unknown.errors }).toEqual({
      data: { transaction: null, receipt: null },
      errors: undefined,
    });
  });

  test('without a WebSocket the head that is followed is never gone back from, and answers are as right', async () => {
    relay.route = (post) => nodes[post % 3 === 1 ? 1 : 0]!;
    const polling = await startGraph({ RPC_URL: relay.url, CACHE_BYTES: '0' });
    const { number } = right.data.block;
    await pollEndpoint(polling, '/readyz', (_response, body) => JSON.parse(body).head?.number === number || undefined);
    for (let i = 0; i < 12; i++) {
      const answer = await executeQuery(polling, query);
      expect(answer.extensions).toEqual(right.extensions);
      for (const code of codes(answer)) expect(['STALE_UPSTREAM', 'BLOCK_NOT_AVAILABLE']).toContain(code);
      if (answer.data) expectAgreement(answer.data, right.data, answer.errors);
    }
    await polling.stop();
  });
});

describe('a graph before one node', () => {
  let setup: DevnetSetup;
  let graph: RunningGraph;
  let alice: string;
  let bob: string;

  beforeAll(async () => {
    setup = await startDevnetSetup({ CACHE_BYTES: '0', CORS_ORIGINS: 'https://game.example' });
    graph = setup.graph;
    [alice, bob] = setup.devnet.description.accounts.map(({ address }) => address) as [string, string];
  });

  afterAll(() => setup?.stop());

  beforeEach(() => {
    setup.proxy.takeCounts();
  });

  const blockAt = (number: number | string) =>
    setup.rpc('eth_getBlockByNumber', typeof number === 'string' ? number : hex(number), false);
  /** What an operation that must succeed gives, and what it cost. */
  async function cost(query: string) {
    const { data, errors, extensions } = await executeQuery(graph, query);
    expect(errors).toBeUndefined();
    return { data, extensions, ...setup.proxy.takeCounts() };
  }

  describe('that is told a block by x-graph-block', () => {
    test.each<[string, (block: BlockName) => string]>([
      ['its hash', ({ hash }) => hash],
      ['its hash in capitals', ({ hash }) => `0x${hash.slice(2).toUpperCase()}`],
      ['its decimal number', ({ number }) => String(Number(number))],
      ['its number in hex', ({ number }) => number],
      ['its number in hex with leading zeros', ({ number }) => `0x00${number.slice(2).toUpperCase()}`],
    ])('by %s answers from there', async (_how, named) => {
      const block = await blockAt(20);
      const at = { blockHash: block.hash };
      const query = `{
        block { number hash confirmations }
        account(address: "${alice}") { balance transactionCount }
        blocks(from: 18) { number confirmations }
        cut: blocks(from: 20, to: 25) { number }
        below: block(number: 15) { number confirmations }
        above: block(number: 25) { number confirmations }
        logs(filter: { fromBlock: 19 }) { blockNumber }
        last: logs(filter: {}) { blockNumber data }
      }`;
      const { status, data, errors, extensions } = await executeAtBlock(graph.url, named(block), query);
      expect({ status, errors, extensions }).toEqual({ status: 200, errors: undefined, extensions: { block: nameOf(block) } });
      expect(data).toMatchObject({
        block: { number: '0x14', hash: block.hash, confirmations: '0x1' },
        account: {
          balance: await setup.rpc('eth_getBalance', alice, at),
          transactionCount: await setup.rpc('eth_getTransactionCount', alice, at),
        },
        blocks: [
          { number: '0x12', confirmations: '0x3' },
          { number: '0x13', confirmations: '0x2' },
          { number: '0x14', confirmations: '0x1' },
        ],
        cut: [{ number: '0x14' }],
        below: { number: '0xf', confirmations: '0x6' },
        above: { number: '0x19', confirmations: null },
      });
      const logs = await setup.rpc('eth_getLogs', { fromBlock: '0x13', toBlock: '0x14' });
      expect(data.logs.map((log: any) => log.blockNumber)).toEqual(logs.map((log: any) => log.blockNumber));
      const last = await setup.rpc('eth_getLogs', { blockHash: block.hash });
      expect(data.last.map((log: any) => log.data)).toEqual(last.map((log: any) => log.data));
      expect(setup.proxy.takeCounts().methods.eth_getBlockByNumber).toBeUndefined();
    });

    test('answers from there over GET as well', async () => {
      const block = await blockAt(7);
      const response = await fetch(`${graph.url}/graphql?query=${encodeURIComponent('{ block { number } }')}`, {
        headers: { 'x-graph-block': '7', 'content-type': 'application/json' },
      });
      expect(await response.json()).toEqual({ data: { block: { number: '0x7' } }, extensions: { block: nameOf(block) } });
    });

    test('costs what it costs at the head: two fields of an account 1/2', async () => {
      await executeAtBlock(graph.url, '20', `{ account(address: "${alice}") { balance code } }`);
      expect(setup.proxy.takeCounts()).toMatchObject({ http: 1, calls: 2, methods: { eth_getBalance: 1, eth_getCode: 1 } });
    });

    test.each([
      ['a word', 'latest'],
      ['a negative number', '-1'],
      ['a fraction', '1.5'],
      ['a hash that is too short', `0x${'1'.repeat(63)}`],
      ['a hash that is too long', `0x${'1'.repeat(65)}`],
      ['a hash without its prefix', 'a'.repeat(64)],
      ['a number of 65 bits', '18446744073709551616'],
      ['two numbers', '1, 2'],
    ])('in a way that there is none, %s, refuses the request with 400, and asks nothing', async (_what, name) => {
      const { status, errors, headers } = await executeAtBlock(graph.url, name, '{ block { number } }');
      expect(status).toBe(400);
      expect(errors).toHaveLength(1);
      expect(errors![0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', source: 'graph', retryable: false });
      expect(errors![0]!.extensions.requestId).toBe(headers.get('x-request-id'));
      expect(errors![0]!.message).toContain('x-graph-block');
      expect(setup.proxy.takeCounts().calls).toBe(0);
    });

    test.each([
      ['hash', `0x${'1'.repeat(64)}`, true],
      ['number', '999999', false],
    ])('whose %s the node does not know is BLOCK_NOT_AVAILABLE on each field that needs it', async (_how, name, retryable) => {
      const query = `{ block { hash } account(address: "${alice}") { balance } below: block(number: 3) { hash } chainID }`;
      const answer = await executeAtBlock(graph.url, name, query);
      expect(answer.data).toEqual({ block: null, account: null, below: null, chainID: '0x7a69' });
      expect(codes(answer)).toEqual(['BLOCK_NOT_AVAILABLE', 'BLOCK_NOT_AVAILABLE', 'BLOCK_NOT_AVAILABLE']);
      expect(answer.errors!.map(({ extensions }) => extensions.retryable)).toEqual([retryable, retryable, retryable]);
      expect(answer.extensions).toBeUndefined();
    });

    test('asks nothing of a block that nothing depends on', async () => {
      const { data, errors, extensions } = await executeAtBlock(graph.url, '999999', '{ chainID }');
      expect({ data, errors, extensions }).toEqual({ data: { chainID: '0x7a69' }, errors: undefined, extensions: undefined });
    });

    test('may be told so by a web page of an origin that is allowed', async () => {
      const preflight = await fetch(`${graph.url}/graphql`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://game.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,x-graph-block',
        },
      });
      expect(preflight.status).toBeLessThan(300);
      expect(preflight.headers.get('access-control-allow-origin')).toBe('https://game.example');
      expect(preflight.headers.get('access-control-allow-headers')).toContain('x-graph-block');
    });
  });

  test.each([
    ['the next block may be asked for again', 1, true],
    ['a block above the next one is not to be asked for again', 2, false],
  ])('state of %s', async (_which, above, retryable) => {
    const number = Number((await blockAt('latest')).number) + above;
    const { revertedTransaction } = setup.devnet.description.landmarks;
    const { errors } = await executeQuery(
      graph,
      `{ transaction(hash: "${revertedTransaction}") { from(block: ${number}) { balance } } }`,
    );
    expect(errors![0]!.extensions).toMatchObject({ code: 'BLOCK_NOT_AVAILABLE', retryable, method: 'eth_getBalance' });
  });

  describe('names the block that it has answered from', () => {
    test.each([
      '{ block { number } }',
      '{ block(tag: SAFE) { hash } }',
      '{ block(number: 20) { hash } }',
      '{ blocks(from: 30) { hash } }',
      '{ logs(filter: {}) { index } }',
      '{ logs(filter: { fromBlock: 1, toBlock: 2 }) { index } }',
      '{ account(address: "$A") { balance } }',
      '{ block(hash: "$H") { confirmations } }',
      '{ block(hash: "$H") { finalized } }',
      '{ transaction(hash: "$T") { value } }',
    ])('where something depends on it: %s', async (template) => {
      const head = await blockAt('latest');
      const { extensions } = await cost(await filled(template));
      expect(extensions).toEqual({ block: nameOf(head) });
    });

    test.each([
      '{ chainID gasPrice network { blockNumber } }',
      '{ block(hash: "$H") { number transactions { hash } account(address: "$A") { balance } } }',
      '{ block(tag: EARLIEST) { hash } }',
      '{ logs(filter: { blockHash: "$H" }) { index } }',
      '{ account(address: "$A") { address } }',
      '{ __typename __schema { queryType { name } } }',
    ])('and only there: %s', async (template) => {
      expect((await cost(await filled(template))).extensions).toBeUndefined();
    });

    async function filled(template: string): Promise<string> {
      const { hash } = await blockAt(20);
      const values: Record<string, string> = { $A: alice, $H: hash, $T: setup.devnet.description.landmarks.approval };
      return template.replace(/\$[A-Z]/g, (name) => values[name]!);
    }

    test('in an answer with errors too', async () => {
      const head = await blockAt('latest');
      const { errors, extensions } = await executeQuery(
        graph,
        '{ block { number } blocks(from: 0, to: 500) { hash } bad: logs(filter: { blockHash: "0x11" }) { index } }',
      );
      expect({ has: errors!.length > 0, extensions }).toEqual({ has: true, extensions: undefined });
      const partly = await executeQuery(graph, '{ block { number } transaction(hash: "0x1") { value } }');
      expect(partly.extensions).toBeUndefined();
      const failing = await executeQuery(
        graph,
        '{ block { number } account(address: "0x0000000000000000000000000000000000000001") { balance } block2: block(number: 1, tag: SAFE) { hash } }',
      );
      expect(failing.errors).toHaveLength(1);
      expect(failing.extensions).toEqual({ block: nameOf(head) });
    });
  });

  describe('tells how deep and how final a block is', () => {
    beforeAll(async () => {
      // Anvil calls final what lies 64 below its head, and safe what lies 32 below.
      await setup.rpc('anvil_mine', '0x46');
      await waitForGraphHead(graph, (await blockAt('latest')).hash);
    });

    /** Mines a block with one transaction, and gives its hash. By itself anvil names a transaction before it has mined it. */
    async function mineOne(value: string): Promise<string> {
      await setup.rpc('evm_setAutomine', false);
      const hash = await setup.rpc('eth_sendTransaction', { from: alice, to: bob, value });
      await setup.rpc('evm_mine');
      await setup.rpc('evm_setAutomine', true);
      return hash;
    }

    test('SAFE and FINALIZED are the blocks that the node calls so: 1/1 for the first that asks at a head, then 0/0', async () => {
      await setup.rpc('evm_mine');
      const head = await blockAt('latest');
      await waitForGraphHead(graph, head.hash);
      const [safe, finalized] = [await blockAt('safe'), await blockAt('finalized')];
      setup.proxy.takeCounts();
      const first = await cost(
        '{ safe: block(tag: SAFE) { number hash } finalized: block(tag: FINALIZED) { number hash timestamp } }',
      );
      expect(first.data).toEqual({
        safe: { number: safe.number, hash: safe.hash },
        finalized: { number: finalized.number, hash: finalized.hash, timestamp: finalized.timestamp },
      });
      expect(first).toMatchObject({ http: 1, calls: 2, extensions: { block: nameOf(head) } });
      expect(await cost('{ block(tag: SAFE) { hash } }')).toMatchObject({ http: 0, calls: 0 });
      expect(await cost('{ block { finalized } }')).toMatchObject({ http: 0, calls: 0 });
    });

    test('a block is final up to the one that the node calls so: 0/0', async () => {
      const final = Number((await blockAt('finalized')).number);
      await cost('{ block { finalized } }');
      const { data, ...sent } = await cost(`{
        edge: block(number: ${final}) { finalized } above: block(number: ${final + 1}) { finalized }
        old: block(number: 40) { finalized } head: block { finalized }
      }`);
      expect(data).toEqual({
        edge: { finalized: true },
        above: { finalized: false },
        old: { finalized: Number(final) >= 40 },
        head: { finalized: false },
      });
      expect(sent.calls).toBeLessThanOrEqual(2);
    });

    test('the depth of a block whose header is known costs 0/0, and is 1 for the head', async () => {
      const head = await blockAt('latest');
      const height = Number(head.number);
      const { data, ...sent } = await cost(
        `{ a: block { confirmations } b: block(number: ${height - 9}) { confirmations parent { number confirmations } } }`,
      );
      expect(data).toEqual({
        a: { confirmations: '0x1' },
        b: { confirmations: '0xa', parent: { number: hex(height - 10), confirmations: '0xb' } },
      });
      expect(sent).toMatchObject({ http: 0, calls: 0 });
    });

    test('the depth of a transaction costs no more than the transaction, and one call where its block is far below: 2/2', async () => {
      const hash = await mineOne('0x1');
      await waitForGraphHead(graph, (await blockAt('latest')).hash);
      setup.proxy.takeCounts();
      const recent = await cost(`{ transaction(hash: "${hash}") { value state confirmations } }`);
      expect(recent.data.transaction).toEqual({ value: '0x1', state: 'MINED', confirmations: '0x1' });
      expect(recent).toMatchObject({ http: 1, calls: 1 });
      const { approval } = setup.devnet.description.landmarks;
      const { blockNumber } = await setup.rpc('eth_getTransactionByHash', approval);
      const old = await cost(`{ transaction(hash: "${approval}") { value state confirmations } }`);
      const depth = Number((await blockAt('latest')).number) - Number(blockNumber) + 1;
      expect(old.data.transaction).toMatchObject({ state: 'MINED', confirmations: hex(depth) });
      expect(old.calls).toBeLessThanOrEqual(2);
    });

    test('a pending transaction is PENDING, has no depth, and is MINED with the next block', async () => {
      await setup.rpc('evm_setAutomine', false);
      const hash = await setup.rpc('eth_sendTransaction', { from: alice, to: bob, value: '0x7' });
      setup.proxy.takeCounts();
      const query = `{ transaction(hash: "${hash}") { value state confirmations block { number } } }`;
      const pending = await cost(query);
      expect(pending.data.transaction).toEqual({ value: '0x7', state: 'PENDING', confirmations: null, block: null });
      // What is not in a block is believed only of a node that has the head.
      expect(pending).toMatchObject({ http: 2, methods: { eth_getTransactionByHash: 2, eth_getBlockByHash: 1 } });
      await setup.rpc('evm_mine');
      await setup.rpc('evm_setAutomine', true);
      const head = await blockAt('latest');
      await waitForGraphHead(graph, head.hash);
      const { data } = await cost(query);
      expect(data.transaction).toEqual({ value: '0x7', state: 'MINED', confirmations: '0x1', block: { number: head.number } });
    });

    test('an abandoned block that the node has lost is null', async () => {
      const snapshot = await setup.rpc('evm_snapshot');
      await mineOne('0x9');
      const lost = await blockAt('latest');
      await waitForGraphHead(graph, lost.hash);
      await setup.rpc('evm_revert', snapshot);
      await setup.rpc('anvil_mine', '0x2');
      await waitForGraphHead(graph, (await blockAt('latest')).hash);
      const { data, errors } = await executeQuery(graph, `{ block(hash: "${lost.hash}") { number confirmations } }`);
      expect({ data, errors }).toEqual({ data: { block: null }, errors: undefined });
      const named = await executeAtBlock(graph.url, lost.hash, '{ block { number } }');
      expect(codes(named)).toEqual(['BLOCK_NOT_AVAILABLE']);
    });
  });
});

describe('what an operator sees', () => {
  let devnet: Devnet;
  let call: Rpc;

  beforeAll(async () => {
    devnet = await startQuietDevnet();
    call = rpcOf(devnet);
  });

  afterAll(() => devnet?.stop());

  const readyz = (graph: RunningGraph, isSo: (head: any, status: number) => boolean) =>
    pollEndpoint(graph, '/readyz', (response, body) => {
      const { head } = JSON.parse(body);
      return isSo(head ?? {}, response.status) ? { head, status: response.status } : undefined;
    });
  const ageOf = (graph: RunningGraph) =>
    pollEndpoint(graph, '/metrics', (_response, body) => Number(/^grimoire_head_age_seconds (\S+)$/m.exec(body)?.[1]));

  /** A socket to the node that can be cut, and not be had again. */
  async function startCable(target: string) {
    const { hostname, port, pathname } = new URL(target);
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = dial(Number(port), hostname);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => [near, far].map((one) => one.destroy()));
      }
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      url: `ws://127.0.0.1:${(server.address() as { port: number }).port}${pathname}`,
      cut() {
        server.close();
        for (const socket of sockets) socket.destroy();
      },
    };
  }

  test('the head and its age are told by /readyz and by the metrics; polls take over from a WebSocket that is gone', async () => {
    const cable = await startCable(devnet.description.nodeService.ws);
    const relay = await startRelay(devnet.description.nodeService.http);
    const graph = await startGraph({ RPC_URL: relay.url, RPC_WS_URL: cable.url });
    const number = await call('eth_blockNumber');
    // On a busy machine polls may stand in until the WebSocket is there.
    const { head } = await readyz(graph, ({ state, transport }) => state === 'live' && transport === 'websocket');
    expect(head).toEqual({ number, ageMs: expect.any(Number), state: 'live', transport: 'websocket' });
    expect(await ageOf(graph)).toBeGreaterThanOrEqual(0);
    const metrics = await pollEndpoint(graph, '/metrics', (_response, body) => body);
    expect(metrics).toMatch(new RegExp(`^grimoire_head_number ${Number(number)}$`, 'm'));

    cable.cut();
    await readyz(graph, ({ transport, state }) => transport === 'polling' && state === 'live');
    await miner(devnet, call)(1);
    const { hash } = await call('eth_getBlockByNumber', 'latest', false);
    await waitForGraphHead(graph, hash);
    // The head is known again: nothing is asked for it.
    relay.resetCounts();
    let asked = 0;
    relay.beforeCall = ({ params }) => {
      if (params[0] !== 'latest' && params.length > 0) asked += 1;
    };
    expect((await executeQuery(graph, '{ block { number parent { number } } }')).extensions!.block!.hash).toBe(hash);
    expect(asked).toBe(0);

    await relay.stop();
    const dead = await readyz(graph, (_head, status) => status === 503);
    expect(dead.head).toBeUndefined();
    expect(codes(await executeQuery(graph, '{ chainID }'))[0]).toMatch(/UPSTREAM_(?:UNAVAILABLE|CIRCUIT_OPEN)/);
    // Two seconds later nobody answers for the head any more.
    await pollEndpoint(graph, '/metrics', (_response, body) => (/^grimoire_head_number \d/m.test(body) ? undefined : true));
    expect(codes(await executeQuery(graph, '{ block { number } }'))[0]).toMatch(/UPSTREAM_(?:UNAVAILABLE|CIRCUIT_OPEN)/);
    expect(await ageOf(graph)).toBeGreaterThan(0);
    await graph.stop();
  });

  test('a node that serves another chain is told by its WebSocket, and nothing of that chain is answered', async () => {
    const chain = new SimChain({ seed: 1 });
    chain.mine(40);
    const node = await startSimNode({ chain });
    const graph = await startGraph({ RPC_URL: node.url, RPC_WS_URL: node.wsUrl });
    expect((await executeQuery(graph, '{ chainID }')).data).toEqual({ chainID: '0x7' });
    node.chainId = '0x8';
    node.disconnect('reset');
    // Not /readyz, which would ask the node itself.
    while (!graph.output().includes('following the chain ended with a fatal error')) await once(graph.process.stderr!, 'data');
    expect(codes(await executeQuery(graph, '{ chainID }'))).toEqual(['UPSTREAM_CHAIN_CHANGED']);
    expect(codes(await executeQuery(graph, '{ block { number } }'))).toEqual(['UPSTREAM_CHAIN_CHANGED']);
    expect(await pollEndpoint(graph, '/readyz', (_response, body) => JSON.parse(body).code)).toBe('UPSTREAM_CHAIN_CHANGED');
    await graph.stop();
  });

  test('without any WebSocket the head is polled: it is known, it moves, and a reorganisation is followed', async () => {
    const relay = await startRelay(devnet.description.nodeService.http);
    const graph = await startGraph({ RPC_URL: relay.url, CACHE_BYTES: '0' });
    const mine = miner(devnet, call);
    const { head } = await readyz(graph, ({ state }) => state === 'live');
    expect(head).toEqual({
      number: await call('eth_blockNumber'),
      ageMs: expect.any(Number),
      state: 'live',
      transport: 'polling',
    });
    const base = Number(await call('eth_blockNumber'));
    const alice = devnet.description.accounts[0]!.address;
    for (const blocks of [3, 5]) {
      const before = await call('evm_snapshot');
      const transaction = await mine(blocks);
      const newest = await call('eth_getBlockByNumber', 'latest', false);
      await waitForGraphHead(graph, newest.hash);
      const { data, errors, extensions } = await executeQuery(graph, everything(alice, base, transaction));
      expect({ errors, block: extensions!.block }).toEqual({ errors: undefined, block: nameOf(newest) });
      expect(data.account.balance).toBe(await call('eth_getBalance', alice, { blockHash: newest.hash }));
      expect(data.blocks).toHaveLength(blocks + 1);
      expect(data.transaction.confirmations).toBe('0x1');
      await call('evm_revert', before);
    }
    await graph.stop();
  });
});

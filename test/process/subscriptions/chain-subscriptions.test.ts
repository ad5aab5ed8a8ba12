import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { connectEventStream } from '../../support/clients/event-stream-client.ts';
import { createSubscriptionClient, type SubscriptionClient } from '../../support/clients/subscription-client.ts';
import { type DevnetSetup, startDevnetSetup, upstreamSettings } from '../../support/graph/devnet-setup.ts';
import { startGraph } from '../../support/graph/running-graph.ts';

/** Chain subscriptions of the built server over the embedded chain and its node service, with real WebSockets. */
let setup: DevnetSetup;
let client: SubscriptionClient;

beforeAll(async () => {
  setup = await startDevnetSetup();
  await setup.rpc('evm_setAutomine', false);
});

beforeEach(() => {
  client = createSubscriptionClient(setup.graph.url);
});

const word = (value: string) => value.replace('0x', '').padStart(64, '0');
const account = (i: number) => setup.devnet.description.accounts[i]!.address;
const token = () => setup.devnet.description.contracts[0]!.address;
const transfer = (from: number, to: number, amount = 1) => ({
  from: account(from),
  to: token(),
  gas: '0x186a0',
  data: `0xa9059cbb${word(account(to))}${word(amount.toString(16))}`,
});
const ether = (from: number, to: number, more: object = {}) => ({
  from: account(from),
  to: account(to),
  value: '0x1',
  gas: '0x5208',
  ...more,
});
const send = (request: object): Promise<string> => setup.rpc('eth_sendTransaction', request);
const latest = () => setup.rpc('eth_getBlockByNumber', 'latest', false);
/** Mines a block and resolves when the graph has it. */
async function mine(count = 1) {
  for (let i = 0; i < count; i++) await setup.rpc('evm_mine');
  return waitForGraphHead();
}

async function waitForGraphHead() {
  const head = await latest();
  for (let at = ''; at !== head.hash; ) at = (await setup.graph.execute('{ block { hash } }')).data.block.hash;
  return head;
}

async function reorg(depth: number, transactions: [object, number][] = []) {
  const body = JSON.stringify({ reorg: { depth, transactions } });
  const response = await fetch(setup.devnet.description.nodeService.control, { method: 'POST', body });
  await waitForGraphHead();
  return ((await response.json()) as { reorg: { removed: string[]; added: string[] } }).reorg;
}

/** A started subscription: it receives every event from now on. */
async function subscribeAndConfirm<const Text extends string>(query: Text, variables?: Record<string, unknown>) {
  const subscription = client.subscribe(query, variables);
  // Operations of one connection start in the order in which they arrive.
  await client.subscribe('{ __typename }').ended;
  return subscription;
}

describe('newHeads', () => {
  const HEADER = `number hash parentHash nonce ommerHash logsBloom transactionsRoot stateRoot receiptsRoot miner { address }
    difficulty extraData gasLimit gasUsed timestamp baseFeePerGas`;

  test('newHeads emits each header of the node, and resolves its block fields without a call', async () => {
    const heads = await subscribeAndConfirm(`subscription { newHeads { ...H replaces block { ...H confirmations timestampISO } } }
      fragment H on Header { ${HEADER} }`);
    await mine();
    await heads.waitForEvents(1);
    setup.proxy.takeCounts();
    const block = await mine();
    const emitted = (await heads.waitForEvents(2))[1]!.newHeads;
    const { sha3Uncles, miner, ...rest } = block;
    const own = Object.fromEntries(
      HEADER.split(/\s+/).flatMap((name) => (name in rest ? [[name, Reflect.get(rest, name)]] : [])),
    );
    const header = { ...own, ommerHash: sha3Uncles, miner: { address: miner.toLowerCase() } };
    expect(emitted).toEqual({
      ...header,
      replaces: false,
      block: { ...header, confirmations: '0x1', timestampISO: new Date(Number(block.timestamp) * 1000).toISOString() },
    });
    expect(heads.events[1]!.extensions!.block).toEqual({ number: block.number, hash: block.hash, parentHash: block.parentHash });
    expect(setup.proxy.takeCounts().methods).toEqual({});
  });

  test('newHeads reads fields below at the emitted block: one call per head for 40 subscribers', async () => {
    const query = `subscription { newHeads { hash block { account(address: "${account(1)}") { balance } } } }`;
    const all = [];
    for (let i = 0; i < 40; i++) all.push(await subscribeAndConfirm(query));
    const blocks: Awaited<ReturnType<typeof mine>>[] = [];
    await mine();
    await Promise.all(all.map((one) => one.waitForEvents(1)));
    setup.proxy.takeCounts();
    for (let i = 0; i < 3; i++) {
      await send(ether(0, 1));
      blocks.push(await mine());
    }
    const emitted = await Promise.all(all.map((one) => one.waitForEvents(4)));
    const balances = await Promise.all(blocks.map(({ number }) => setup.rpc('eth_getBalance', account(1), number)));
    expect(new Set(balances).size).toBe(3);
    for (const events of emitted) {
      expect(events.slice(1).map(({ newHeads }) => [newHeads.hash, newHeads.block.account.balance])).toEqual(
        blocks.map(({ hash }, i) => [hash, balances[i]]),
      );
    }
    expect(setup.proxy.takeCounts()).toMatchObject({ http: 3, methods: { eth_getBalance: 3 } });
  });

  test('newHeads resumes after a block across a reorg and a lost connection', async () => {
    const query = 'subscription ($after: Bytes32) { newHeads(after: $after) { hash replaces } }';
    const heads = await subscribeAndConfirm(query);
    await mine(3);
    const before = await heads.waitForEvents(3);
    client.kill();
    await heads.ended;
    const { added } = await reorg(2);
    const next = await mine();
    client = createSubscriptionClient(setup.graph.url);
    const again = client.subscribe(query, { after: before[2]!.newHeads.hash });
    expect((await again.waitForEvents(3)).map(({ newHeads }) => newHeads)).toEqual([
      { hash: added[0], replaces: true },
      { hash: added[1], replaces: true },
      { hash: next.hash, replaces: false },
    ]);
    const [expired] = await client.subscribe(query, { after: `0x${'1'.repeat(64)}` }).ended;
    expect(expired).toMatchObject({ extensions: { code: 'CURSOR_EXPIRED', retryable: false } });
  });
});

describe('logs', () => {
  const QUERY = `subscription ($filter: LogSubscriptionFilter, $after: String) {
    logs(filter: $filter, after: $after) { cursor removed index blockHash transaction { hash } block { number } }
  }`;
  const filter = () => ({ addresses: [token()] });

  test('logs emits the logs of eth_getLogs, without a call for their own fields', async () => {
    const logs = await subscribeAndConfirm(QUERY, { filter: filter() });
    await send(transfer(0, 1));
    await send(transfer(1, 2));
    await mine();
    await logs.waitForEvents(2);
    setup.proxy.takeCounts();
    await send(transfer(0, 1));
    const block = await mine();
    const [log] = await setup.rpc('eth_getLogs', { blockHash: block.hash });
    expect((await logs.waitForEvents(3))[2]!.logs).toEqual({
      cursor: expect.stringMatching(/^[\w-]{60}$/),
      removed: false,
      index: log!.logIndex,
      blockHash: block.hash,
      transaction: { hash: log!.transactionHash },
      block: { number: block.number },
    });
    expect(setup.proxy.takeCounts().methods).toEqual({});
  });

  test('logs resumes after a cursor of a query, across a lost connection and a reorg', async () => {
    await send(transfer(0, 1));
    await send(transfer(1, 2));
    const first = await mine();
    const requested = await setup.graph.execute(
      `{ block { logs(filter: { addresses: ["${token()}"] }) { cursor transactionHash } } }`,
    );
    const one = requested.data.block.logs[0]!;
    const two = requested.data.block.logs[1]!;
    const logs = client.subscribe(QUERY, { filter: filter(), after: one.cursor });
    expect((await logs.waitForEvents(1))[0]!.logs).toMatchObject({
      cursor: two.cursor,
      transaction: { hash: two.transactionHash },
    });
    const third = await send(transfer(2, 3));
    await mine();
    const [, last] = await logs.waitForEvents(2);
    expect(last!.logs.transaction.hash).toBe(third);
    client.kill();
    await logs.ended;
    // The reorg removes both blocks; the new branch has another transfer in its second block.
    const { removed, added } = await reorg(2, [[transfer(3, 4), 1]]);
    expect(removed).toContain(first.hash);
    client = createSubscriptionClient(setup.graph.url);
    const again = client.subscribe(QUERY, { filter: filter(), after: last!.logs.cursor });
    const emitted = (await again.waitForEvents(4)).map((data) => data.logs);
    expect(emitted.map((log) => [log.removed, log.transaction.hash, log.blockHash])).toEqual([
      [true, third, last!.logs.blockHash],
      [true, two.transactionHash, first.hash],
      [true, one.transactionHash, first.hash],
      [false, expect.any(String), added[1]],
    ]);
    // The number of a removed block is still known.
    expect(emitted[1]!.block).toEqual({ number: first.number });
    // After a cursor in the middle of the removed logs, the remaining removed logs follow.
    const rest = client.subscribe(QUERY, { filter: filter(), after: emitted[1]!.cursor });
    expect((await rest.waitForEvents(2)).map((data) => data.logs.cursor)).toEqual([emitted[2]!.cursor, emitted[3]!.cursor]);
  });

  test('logs and logPages from a height have the logs of the node in one search, and then the live logs', async () => {
    await send(transfer(0, 1));
    const { number } = await mine();
    const past = await setup.rpc('eth_getLogs', { fromBlock: '0x0', toBlock: number, address: token() });
    const place = ({ blockHash, logIndex }: { blockHash: string; logIndex: string }) => `${blockHash} ${logIndex}`;
    const from = 'fromBlock: 0, filter: $filter';
    const VARIABLES = '$filter: LogSubscriptionFilter, $after: String';
    const logs = client.subscribe(`subscription (${VARIABLES}) { logs(${from}, after: $after) { cursor blockHash index } }`, {
      filter: filter(),
    });
    const events = await logs.waitForEvents(past.length);
    expect(events.map(({ logs: { blockHash, index } }) => `${blockHash} ${index}`)).toEqual(past.map(place));
    setup.proxy.takeCounts();
    const pages = client.subscribe(
      `subscription (${VARIABLES}) { logPages(${from}, after: $after) { cursor searchedTo nodes { blockHash index removed } } }`,
      { filter: filter() },
    );
    const nodesOf = (all: readonly { logPages: { nodes: readonly { blockHash: string | null; index: string }[] } }[]) =>
      all.flatMap(({ logPages: { nodes } }) => nodes.map(({ blockHash, index }) => `${blockHash} ${index}`));
    await pages.waitUntil(({ logPages: { searchedTo } }) => searchedTo === number);
    // The server has the logs of the recent blocks; one search finds those below.
    expect(setup.proxy.takeCounts().methods.eth_getLogs).toBe(1);
    await send(transfer(1, 2));
    const live = await mine();
    const [log] = await setup.rpc('eth_getLogs', { blockHash: live.hash });
    const all = await pages.waitUntil(({ logPages: { searchedTo } }) => searchedTo === live.number);
    expect(nodesOf(all)).toEqual([...past, log!].map(place));
    expect((await logs.waitForEvents(past.length + 1)).at(-1)!.logs).toMatchObject({
      blockHash: live.hash,
      index: log!.logIndex,
    });
    // A client resumes with the variables of its start: the cursor counts.
    const again = client.subscribe(`subscription (${VARIABLES}) { logs(${from}, after: $after) { cursor } }`, {
      filter: filter(),
      after: events.at(-1)!.logs.cursor,
    });
    expect((await again.waitForEvents(1))[0]!.logs.cursor).toBe((await logs.waitForEvents(past.length + 1)).at(-1)!.logs.cursor);
  });

  test('past logs of a subscription that asks for verification are proven by receipts', async () => {
    await mine(40);
    // The feed of a new server has the newest 32 blocks.
    const late = await startGraph(upstreamSettings(setup.devnet.description));
    const query = `subscription { logs(fromBlock: 1, filter: { addresses: ["${token()}"] }) { blockNumber } }`;
    const verified = await connectEventStream(late.url, { query }, { headers: { 'x-graph-verify': 'logs' } });
    const first = (await verified.waitForEvents(1))[0]!.data;
    expect(Number(first.data.logs.blockNumber)).toBeLessThan(10);
    expect(first.extensions.trust).toEqual({ level: 'CONSISTENT', checks: ['receiptsRoot'], reported: [] });
    verified.close();
    await late.stop();
  });
});

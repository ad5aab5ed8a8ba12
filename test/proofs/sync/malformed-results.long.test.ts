import { expect, test } from '@jest/globals';
import { createInProcessGraph } from '../../support/graph/in-process-graph.ts';
import { addressOf, hashOf, type StubResponses, startStubNode } from '../../support/graph/stubbed-graph.ts';
import { createRandomChoices, type RandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { receiptOf } from '../../support/simulator/rpc-simulator.ts';
import { startFeed } from '../../support/subscriptions/feed-setup.ts';
import { createLogReplay, logDifferences } from '../../support/subscriptions/log-replay.ts';
import { BLOCK_HASH, ONE_BLOCK } from '../../support/upstream/one-block-node.ts';

/** Malformed parts of results must cause errors about the node, never about this server. */
const SEED = readSeed();

const A = addressOf(1);
const TRANSACTION = `hash value index from { address balance } to { address } accessList { address storageKeys } blobVersionedHashes
  effectiveTip status gasUsed createdContract { address } receipt { logs { topics data } } logs { index cursor account { address } } confirmations`;
const BLOCK = `hash number timestampISO miner { address balance } parent { hash number } transactionCount ommerCount ommerHashes
  ommers { hash number } ommerAt(index: 0) { hash } withdrawals { amount validator } nextBaseFeePerGas confirmations finalized
  account(address: "${A}") { balance transactionCount code storage(slot: "${hashOf(0)}") }`;
const QUERIES = [
  `{ block(number: 16) { ${BLOCK} } }`,
  `{ block(hash: "${BLOCK_HASH}") { ${BLOCK} } }`,
  `{ block { number transactions { ${TRANSACTION} } } }`,
  '{ block(number: 16) { transactions { status hash } } }',
  '{ block(number: 16) { transactionHashes receipts { status logs(filter: {}) { index } transaction { value } } } }',
  `{ block(number: 16) { transactionAt(index: 0) { ${TRANSACTION} } } }`,
  '{ block(number: 16) { transactionCount } }',
  '{ block(number: 16) { ommerCount } }',
  `{ block(hash: "${BLOCK_HASH}") { hash logs(filter: {}) { index topics data cursor account { code } transaction { value } block { hash } } } }`,
  `{ block(number: 16) { logs(filter: { addresses: ["${addressOf(0xd)}"] }) { index } } }`,
  '{ logs(filter: { fromBlock: 16, toBlock: 16 }) { index cursor removed transaction { hash status } block { timestamp } } }',
  `{ logs(filter: { blockHash: "${BLOCK_HASH}" }) { index } }`,
  '{ blocks(from: 16) { hash number transactions { hash } } }',
  `{ transaction(hash: "${hashOf(0x71)}") { ${TRANSACTION} block { hash timestamp } } }`,
  `{ receipt(hash: "${hashOf(0x71)}") { succeeded gasUsed contract { address } from { balance } logs { index } transaction { value } block { gasUsed } } }`,
  `{ account(address: "${A}") { balance transactionCount code storage(slot: "${hashOf(0)}") } }`,
  `{ account(address: "${A}") { tokenBalance(contract: "${addressOf(2)}") { balance { raw } token { name symbol decimals } error } } }`,
  '{ chainID gasPrice maxPriorityFeePerGas syncing { startingBlock currentBlock highestBlock } }',
  '{ network { networkID protocolVersion listening blockNumber accounts } }',
  '{ block(tag: SAFE) { number } final: block(tag: FINALIZED) { hash transactions { hash } } }',
];

const MALFORMED_VALUES: readonly unknown[] = [
  null,
  undefined,
  5,
  -1,
  1.5,
  true,
  '',
  '0x',
  '0x0',
  'text',
  '0xzz',
  `0x${'z'.repeat(64)}`,
  `0x${'f'.repeat(600)}`,
  hashOf(0xbad),
  addressOf(0xbad),
  [],
  [null],
  [5],
  [[]],
  {},
  [{}],
  { hash: 5 },
  { length: 1 },
];

/** Returns a copy of a result with one value replaced at a random place. */
function corrupt(value: unknown, draw: RandomChoices): unknown {
  const isLeaf = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
  if (isLeaf || draw.chance(0.15)) return draw.pick(MALFORMED_VALUES);
  if (Array.isArray(value) && draw.chance(0.3))
    return draw.chance(0.5) ? [...value, draw.pick(MALFORMED_VALUES)] : value.slice(1);
  const key = draw.pick(Object.keys(value));
  const part = corrupt((value as Record<string, unknown>)[key], draw);
  return Array.isArray(value) ? value.with(Number(key), part) : { ...value, [key]: part };
}

/** Errors about invalid or missing results of the node. */
const EXPECTED_CODES = new Set(['UPSTREAM_BAD_RESPONSE', 'BLOCK_NOT_AVAILABLE', 'STALE_UPSTREAM']);

const RUNS = runSize(400, 40_000);
const CONCURRENCY = 4;

test(`graph reports ${RUNS} malformed results as errors of the node, never as internal errors`, async () => {
  const methods = Object.keys(ONE_BLOCK);
  const failures: string[] = [];
  let errorCount = 0;
  let next = 0;

  /** Executes random queries, one after the other, over its own node. */
  async function worker(): Promise<void> {
    let table: StubResponses = ONE_BLOCK;
    const respond = (name: string, params: readonly unknown[]) => {
      const entry = table[name];
      return typeof entry === 'function' ? entry(...params) : entry;
    };
    const node = await startStubNode(
      Object.fromEntries(methods.map((name) => [name, (...params: unknown[]) => respond(name, params)])),
    );
    while (next < RUNS) {
      const run = next;
      next += 1;
      const draw = createRandomChoices(SEED + run);
      // A new graph per run has empty caches and a full retry budget.
      const graph = createInProcessGraph([node.url]);
      const method = draw.pick(methods.filter((name) => name !== 'eth_chainId'));
      let sent: unknown;
      const correct = ONE_BLOCK[method];
      table = {
        ...ONE_BLOCK,
        [method]: (...params: unknown[]) => {
          const result = typeof correct === 'function' ? correct(...params) : correct;
          sent = result instanceof Error ? result : corrupt(result, draw);
          return sent;
        },
      };
      const query = draw.pick(QUERIES);
      const { errors = [] } = await graph.execute(query);
      errorCount += errors.length;
      for (const { extensions, path } of errors) {
        if (EXPECTED_CODES.has(extensions.code)) continue;
        failures.push(
          `run ${run}, ${method} = ${JSON.stringify(sent)?.slice(0, 3000)}: ${extensions.code} at ${path?.join('.')} of ${query}`,
        );
      }
      await graph.close();
    }
    await node.stop();
  }

  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  expect(failures.slice(0, 5)).toEqual([]);
  expect(errorCount).toBeGreaterThan(RUNS / 20);
});

const CHANGES = runSize(12, 2_000);

test.each([
  ['ws', 'logs'],
  ['ws', 'receipts'],
  ['http', 'logs'],
  ['http', 'receipts'],
  ['both', 'logs'],
] as const)(
  `log subscription emits ${CHANGES} changes with all their logs despite malformed results, over %s from %s`,
  async (transports, source) => {
    const draw = createRandomChoices(SEED + 1);
    const chain = new SimChain({ seed: SEED, bloom: 'real', blocks: 40 });
    const { feed, node } = await startFeed(chain, { transports, hasBlockReceipts: source === 'receipts' });
    const replay = createLogReplay(chain.head.hash);
    feed.subscribeLogs(replay);
    node.intercept = (method, [ref]) => {
      if (!/eth_get(?:Logs|BlockReceipts)/.test(method) || !draw.chance(0.3)) return undefined;
      const block = source === 'receipts' ? chain.block(ref) : undefined;
      if (block)
        return {
          result: corrupt(
            block.transactions.map((transaction) => receiptOf(block, transaction)),
            draw,
          ),
        };
      const logs = chain.block(ref.blockHash ?? ref.blockhash)?.logs;
      return logs && { result: corruptLogs(logs, draw) };
    };
    for (let change = 0; change < CHANGES; change++) {
      chain.reorg(draw.below(3), 1 + draw.below(3) + 2);
      await replay.waitForBlock(chain.head.hash);
    }
    expect(logDifferences(replay, chain.main)).toEqual([]);
    expect((node.callCounts.get('eth_getLogs') ?? 0) > 0).toBe(source === 'logs');
  },
);

/** Returns logs with a detectable fault: a value of the wrong type, a log of another block, or a duplicate. */
function corruptLogs(logs: readonly object[], draw: RandomChoices): unknown {
  const first = logs[0];
  if (!first) return draw.pick([null, {}, 'none', [null], [{}]]);
  return draw.pick<unknown>([
    null,
    [],
    [...logs, null],
    [...logs, first],
    [{ ...first, blockHash: hashOf(0xbad) }],
    [{ ...first, removed: true }],
    [{ ...first, topics: undefined }],
    [{ ...first, logIndex: 'x' }],
    [{ ...first, transactionHash: 5 }],
  ]);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { createInProcessGraph, type InProcessGraph } from '../../support/graph/in-process-graph.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { withNodeKey } from '../../support/secrets.ts';
import { block, hashOf, receiptFixture, transactionFixture } from '../../support/upstream/rpc-fixtures.ts';
import {
  type Script,
  type ScriptedCall,
  type ScriptedNode,
  type ScriptedRequest,
  startScriptedNode,
} from '../../support/upstream/scripted-node.ts';

/**
 * Many operations over a node with faults of every kind, one in every fifth response. Each value must equal the value of a
 * correct node; every other field must be an error with a code, in time.
 */
const SEED = readSeed();
const OPERATIONS = runSize(400, 100_000);
const FAULT_RATE = 0.2;
const DEADLINE_MS = 3_000;
/** The node and the graph share one event loop, so a response this late has not hung. */
const SHARED_LOOP_MS = 10_000;
/** Lower in the short run, which shares its machine with other tests: queued operations would time out. */
const CONCURRENCY = runSize(16, 64);
/** The timeouts of faults add up, and the machine may be busy. */
const TEST_TIMEOUT_MS = 30 * 60_000;

const hex = (n: number) => `0x${n.toString(16)}`;
const txHash = (number: number, i: number) => hashOf(number * 16 + i);
const inclusionOf = (number: number, i: number) => ({
  blockNumber: hex(number),
  blockHash: hashOf(0xb000000 + number),
  transactionIndex: hex(i),
});
const transactionAt = (number: number, i: number) =>
  transactionFixture({ ...inclusionOf(number, i), hash: txHash(number, i), value: hex(number + i + 1) });
const receiptAt = (number: number, i: number) =>
  receiptFixture({ ...inclusionOf(number, i), transactionHash: txHash(number, i), gasUsed: hex(21_000 + number + i) });
const blockAt = (number: number) =>
  block({
    number: hex(number),
    hash: hashOf(0xb000000 + number),
    parentHash: hashOf(0xb000000 + number - 1),
    transactions: [transactionAt(number, 0), transactionAt(number, 1)],
  });

const HEAD = 200;
/** The height of a block hash or number. */
const heightOf = (ref: string) => (ref.length === 66 ? Number(BigInt(ref)) - 0xb000000 : Number(ref));

/** The correct node: a pure function of the call. */
function resultFor({ method, params }: ScriptedCall): unknown {
  const [first] = params as [any];
  if (method === 'eth_chainId') return '0x7';
  if (method === 'eth_getBalance') return hex(Number.parseInt(first.slice(-6), 16) * 7 + 1);
  if (method === 'eth_getTransactionCount') return hex(Number.parseInt(first.slice(-6), 16) + 3);
  if (method === 'eth_getBlockByNumber') return blockAt(first === 'latest' ? HEAD : Number(first));
  if (method === 'eth_getBlockByHash') return blockAt(heightOf(first));
  if (method === 'eth_getBlockReceipts') return [0, 1].map((i) => receiptAt(heightOf(first), i));
  if (method === 'eth_getTransactionReceipt') return receiptAt(Number(first) >> 4, Number(first) & 15);
  if (method === 'eth_getTransactionByHash') return transactionAt(Number(first) >> 4, Number(first) & 15);
  return null;
}

const entryOf = (call: ScriptedCall) => ({ jsonrpc: '2.0', id: call.id, result: resultFor(call) });
const respondCorrectly = ({ body }: ScriptedRequest) => (Array.isArray(body) ? body.map(entryOf) : entryOf(body as ScriptedCall));

type Fault = (requested: ScriptedRequest, response: Parameters<Script>[1], roll: () => number) => unknown;

const respondWithEntries = (requested: ScriptedRequest, change: (entries: ReturnType<typeof entryOf>[]) => unknown[]) => {
  const entries = change(requested.calls.map(entryOf));
  return Array.isArray(requested.body) ? entries : (entries[0] ?? null);
};
const respondWith =
  (status: number, text: string | Buffer, headers: Record<string, string> = {}): Fault =>
  (_requested, response) =>
    void response.writeHead(status, headers).end(text);
const respondWithError =
  (code: number, message: string): Fault =>
  (requested) =>
    respondWithEntries(requested, (entries) => entries.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code, message } })));

const FAULTS_BY_NAME: Record<string, Fault> = {
  'status 429': respondWith(429, ''),
  'status 429 with a wait': respondWith(429, '', { 'retry-after': '1' }),
  'error -32005': respondWithError(-32005, 'rate limit'),
  'error -32603': respondWithError(-32603, 'internal'),
  'status 500': respondWith(500, 'oops'),
  'status 503 in HTML': respondWith(503, '<html></html>'),
  reset: ({ socket }) => void socket.resetAndDestroy(),
  'closed in the middle': (requested, response) => {
    response.writeHead(200, { 'content-length': '9999' });
    response.write(JSON.stringify(respondCorrectly(requested)).slice(0, 20));
    requested.socket.destroySoon();
  },
  silence: () => undefined,
  'half of the JSON': (requested, response) => void response.end(JSON.stringify(respondCorrectly(requested)).slice(0, -5)),
  HTML: respondWith(200, '<html></html>'),
  null: respondWith(200, 'null'),
  NaN: respondWith(200, 'NaN'),
  'wrong ids': (requested) =>
    respondWithEntries(requested, (entries) => entries.map((entry) => ({ ...entry, id: entry.id + 1e9, result: '0xbad' }))),
  'ids as text': (requested) =>
    respondWithEntries(requested, (entries) => entries.map((entry) => ({ ...entry, id: String(entry.id) }))),
  'entries twice': (requested) =>
    respondWithEntries(requested, (entries) => [...entries, ...entries.map((entry) => ({ ...entry, result: '0xbad' }))]),
  'entries missing': (requested, _response, roll) =>
    respondWithEntries(requested, (entries) => entries.filter(() => roll() < 0.5)),
  'entries in any order': (requested, _response, roll) =>
    respondWithEntries(requested, (entries) => entries.sort(() => roll() - 0.5)),
  'one object for a batch': () => ({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'no' } }),
  'a gzip bomb': respondWith(200, gzipSync(Buffer.alloc(34 * 1024 * 1024, 0x20)), { 'content-encoding': 'gzip' }),
  'gzip that is none': respondWith(200, 'plain', { 'content-encoding': 'gzip' }),
  'a drip': async (requested, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    for (const letter of JSON.stringify(respondCorrectly(requested))) {
      if (response.destroyed) return;
      response.write(letter);
      await sleep(20);
    }
  },
  'another content type': (requested, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify(respondCorrectly(requested))),
};

const account = (n: number) => `account(address: "0x${n.toString(16).padStart(40, '0')}")`;
const randomQueries = [
  (n: number) => `{ ${account(n)} { balance transactionCount } }`,
  (n: number) => `{ block(number: ${(n % 90) + 1}) { number hash transactions { hash value status gasUsed } } }`,
  (n: number) => `{ transaction(hash: "${txHash((n % 90) + 1, n % 2)}") { value nonce blockNumber status } }`,
  (n: number) =>
    `{ blocks(from: ${(n % 80) + 1}, to: ${(n % 80) + 4}) { number transactions { value } } ${account(n)} { balance } }`,
];

let faultyNode: ScriptedNode;
let graph: InProcessGraph;
let reference: InProcessGraph;

beforeAll(async () => {
  const roll = random(SEED);
  const kinds = Object.values(FAULTS_BY_NAME);
  faultyNode = await startScriptedNode((requested, response) =>
    roll() < FAULT_RATE ? kinds[Math.floor(roll() * kinds.length)]!(requested, response, roll) : respondCorrectly(requested),
  );
  const healthyNode = await startScriptedNode(respondCorrectly);
  graph = createInProcessGraph([withNodeKey(faultyNode.url)], { timeoutMs: 250, headerChecks: 'report' });
  reference = createInProcessGraph([withNodeKey(healthyNode.url)], { headerChecks: 'report' });
});

test(
  `of ${OPERATIONS} operations at ${FAULT_RATE * 100} % faults none returns a wrong value or hangs`,
  async () => {
    const roll = random(SEED + 1);
    const drawn = Array.from({ length: OPERATIONS }, () => {
      const question = randomQueries[Math.floor(roll() * randomQueries.length)]!;
      return question(Math.floor(roll() * 500) + 1);
    });
    // Before the faults start, since the reference itself could be late.
    const right = new Map<string, unknown>();
    for (const query of new Set(drawn)) {
      const emitted = await reference.execute(query);
      // A failed reference would match any error.
      expect(emitted.errors).toBeUndefined();
      right.set(query, emitted.data);
    }
    const counts = { right: 0, failed: 0, codes: new Set<string>() };
    const wrongs: unknown[] = [];
    let next = 0;
    const worker = async () => {
      while (next < OPERATIONS) {
        const query = drawn[next]!;
        next += 1;
        const started = performance.now();
        const { data, errors } = await graph.execute(query, { deadlineMs: DEADLINE_MS });
        const took = performance.now() - started;
        if (took > DEADLINE_MS + SHARED_LOOP_MS) wrongs.push({ query, hung: true, took });
        for (const { extensions } of errors ?? []) counts.codes.add(extensions.code);
        // Respect retry-after.
        const rest = Math.max(
          0,
          ...(errors ?? []).map(({ extensions }) => (extensions.code === 'UPSTREAM_CIRCUIT_OPEN' ? extensions.retryAfterMs! : 0)),
        );
        if (rest > 0) await sleep(rest);
        counts[errors ? 'failed' : 'right'] += 1;
        const agrees = errors ? isPartOf(data, right.get(query)) : JSON.stringify(data) === JSON.stringify(right.get(query));
        if (!agrees) wrongs.push({ query, data });
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    const codes = [...counts.codes].sort();
    process.stdout.write(
      `faults: ${counts.right} right, ${counts.failed} with errors, ${wrongs.length} wrong or hung; ${codes}\n`,
    );
    expect(wrongs).toEqual([]);
    expect(counts.right).toBeGreaterThan(OPERATIONS / 4);
    expect(codes.filter((code) => !/^UPSTREAM_|^TIMEOUT$|^BLOCK_NOT_AVAILABLE$/.test(code))).toEqual([]);
  },
  TEST_TIMEOUT_MS,
);

/** Whether each value of a partial response is correct; failed fields are null. */
function isPartOf(part: any, whole: any): boolean {
  if (part === null || part === undefined) return true;
  if (typeof part !== 'object') return part === whole;
  return whole !== null && Object.keys(part).every((key) => isPartOf(part[key], whole[key]));
}

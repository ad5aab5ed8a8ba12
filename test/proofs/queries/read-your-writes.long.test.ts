import { expect, test } from '@jest/globals';
import { Wallet } from 'ethers';
import { cleanups } from '../../support/cleanups.ts';
import { KeepAliveClient } from '../../support/clients/keep-alive-client.ts';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { startTestDevnet } from '../../support/devnet.ts';
import type { GraphBody } from '../../support/graph/results.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { type Balancer, startBalancer } from '../../support/proxies/balancer.ts';
import { startDelayingProxy } from '../../support/proxies/tcp-proxy.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';

/**
 * Reads after writes across two replicas behind a balancer. One replica receives new heads with a delay. A read sends the
 * block of the write as `x-graph-min-block`. Before every fifth read, a read without it shows that the replicas differ.
 */
const WRITES = runSize(300, 10_000);
const CONTROL_INTERVAL = 5;
const SESSIONS = 8;
const MAX_HEAD_DELAY_MS = 100;

// Longer than the minimum length of a cached response, so that the response cache takes part.
const BLOOMS = Array.from({ length: 10 }, (_, i) => `bloom${i}: logsBloom`).join(' ');

const SEND = 'mutation ($data: Bytes!) { sendRawTransaction(data: $data) }';
const STATUS = 'subscription ($hash: Bytes32!) { transactionStatus(hash: $hash) { transaction { block { number } } } }';

/** Two connections through the balancer, which reach different replicas, and the account that writes. */
class Session {
  stale = 0;
  staleWithoutMinimum = 0;
  readonly failures: string[] = [];
  readonly readMs: number[] = [];
  readonly reader: KeepAliveClient;
  readonly #wallet: Wallet;
  readonly #writer: RawSocket;
  readonly #query: string;
  #nonce = 0;

  constructor(privateKey: string, writer: RawSocket, reader: KeepAliveClient) {
    this.#wallet = new Wallet(privateKey);
    this.#writer = writer;
    this.reader = reader;
    this.#query = `{ block { number ${BLOOMS} } account(address: "${this.#wallet.address}") { transactionCount } }`;
  }

  async start(): Promise<void> {
    const { data } = await this.#read({});
    this.#nonce = Number(data.account.transactionCount);
  }

  /** Sends a transaction over one connection, then reads its block and the nonce over the other. */
  async writeAndRead(i: number): Promise<void> {
    const height = await this.#write();
    if (i % CONTROL_INTERVAL === 0 && (await this.#isStale(height, {}))) this.staleWithoutMinimum++;
    const sentAt = performance.now();
    if (await this.#isStale(height, { 'x-graph-min-block': String(height) })) this.stale++;
    this.readMs.push(performance.now() - sentAt);
  }

  /** Reads the head and the nonce; returns whether one of them is older than the last write. */
  async #isStale(height: number, headers: Record<string, string>): Promise<boolean> {
    const { data, errors, extensions } = await this.#read(headers);
    if (errors) {
      this.failures.push(JSON.stringify(errors));
      return false;
    }
    return (
      Number(extensions.block.number) < height ||
      Number(data.block.number) < height ||
      Number(data.account.transactionCount) < this.#nonce
    );
  }

  /** Returns the height of the block with the transaction. */
  async #write(): Promise<number> {
    const data = await this.#wallet.signTransaction({
      chainId: 31337,
      nonce: this.#nonce++,
      type: 2,
      to: this.#wallet.address,
      value: 1n,
      gasLimit: 21_000,
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 1n,
    });
    // The socket records messages, and a run has tens of thousands.
    this.#writer.messages.length = 0;
    this.#writer.subscribe('send', SEND, { data });
    const [sent] = await this.#writer.waitForResults('send', 1);
    this.#writer.subscribe('status', STATUS, { hash: sent.data.sendRawTransaction });
    const { payload } = await this.#writer.waitForMessage(
      (message) => message.id === 'status' && message.payload?.data?.transactionStatus.transaction?.block,
    );
    await this.#writer.waitForEnd('status');
    return Number(payload.data.transactionStatus.transaction.block.number);
  }

  async #read(headers: Record<string, string>): Promise<GraphBody> {
    return JSON.parse((await this.reader.post(this.#query, headers)).body);
  }
}

/** Opens the two connections in an order that decides which replica each one reaches: the balancer alternates. */
async function connectSession(balancer: Balancer, privateKey: string, order: 'write first' | 'read first'): Promise<Session> {
  const reader = new KeepAliveClient(balancer.url);
  if (order === 'read first') await reader.send('/healthz');
  const writer = await RawSocket.connect(balancer.url);
  cleanups.push(async () => writer.ws.terminate());
  const session = new Session(privateKey, writer, reader);
  await session.start();
  return session;
}

/** The median, the 99th percentile and the maximum of the times of reads with a minimum. */
function percentiles(sessions: readonly Session[]): string {
  const sorted = sessions.flatMap(({ readMs }) => readMs).sort((a, b) => a - b);
  return [0.5, 0.99, 1]
    .map((share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1))
    .join('/');
}

test(`in ${WRITES} writes no read of another replica with x-graph-min-block is stale`, async () => {
  const draw = random(readSeed());
  const devnet = await startTestDevnet();
  const { nodeService, accounts } = devnet.description;
  const slow = await startDelayingProxy(Number(new URL(nodeService.ws).port), () => draw() * MAX_HEAD_DELAY_MS);
  const slowUrl = new URL(nodeService.ws);
  slowUrl.port = String(slow.port);
  const settings = { RPC_URL: nodeService.http, LOG_LEVEL: 'warn' };
  const replicas = await Promise.all([
    startGraph({ ...settings, RPC_WS_URL: nodeService.ws }),
    startGraph({ ...settings, RPC_WS_URL: String(slowUrl) }),
  ]);
  const balancer = await startBalancer();
  for (const { url } of replicas) await balancer.addServer(url);
  // Half of the sessions read the slow replica, the other half write to it.
  const sessions: Session[] = [];
  for (const [i, { privateKey }] of accounts.slice(0, SESSIONS).entries()) {
    sessions.push(await connectSession(balancer, privateKey, i % 2 === 0 ? 'write first' : 'read first'));
  }
  const startedAt = performance.now();
  let written = 0;
  await Promise.all(
    sessions.map(async (session) => {
      while (written < WRITES) await session.writeAndRead(written++);
    }),
  );
  const [ofSlow, ofFast] = [0, 1].map((parity) => sessions.filter((_session, i) => i % 2 === parity)) as [Session[], Session[]];
  const staleWithoutMinimum = ofSlow.reduce((sum, session) => sum + session.staleWithoutMinimum, 0);
  const reads = sessions.reduce((sum, { readMs }) => sum + readMs.length, 0);
  process.stdout.write(
    `read your writes: ${written} writes, ${reads} reads with a minimum, ${staleWithoutMinimum} stale reads without; p50/p99/max ${percentiles(ofSlow)} ms on the slow replica, ${percentiles(ofFast)} ms on the other; ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`,
  );
  expect(sessions.flatMap(({ failures }) => failures)).toEqual([]);
  expect(sessions.reduce((sum, { stale }) => sum + stale, 0)).toBe(0);
  // A further connection could reach the replica that wrote.
  expect(sessions.filter(({ reader }) => reader.connections !== 1)).toEqual([]);
  expect(staleWithoutMinimum).toBeGreaterThan(0);
});

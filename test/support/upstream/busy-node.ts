import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { startTestServer } from '../test-server.ts';
import { addressOf, block, hashOf, logFixture, receiptFixture, transactionFixture } from './rpc-fixtures.ts';

/** A node of a busy chain over HTTP: full blocks at every height up to the head, and the same 20,000 logs for every search. */
export interface BusyNode {
  readonly url: string;
  /** Height of the head. Raise it to add blocks. */
  head: number;
  /** Number of calls since the last `takeCallCount`. */
  takeCallCount(): number;
  /** Called when the node starts to send a response with logs or receipts. */
  onHeavyResponse: () => void;
}

export const TRANSACTIONS_PER_BLOCK = 250;
export const LOG_COUNT = 20_000;
/** A search for logs of this contract takes three seconds. */
export const SLOW_CONTRACT = addressOf(0x510);
const SLOW_SEARCH_MS = 3_000;

const FIRST_HASH = 0xb00000;
const hex = (value: number): string => `0x${value.toString(16)}`;
const blockHash = (height: number): string => hashOf(FIRST_HASH + height);
const transactionHash = (height: number, i: number): string => hashOf(0x70000000 + height * 10_000 + i);
const positionOf = (height: number, i: number) => ({
  blockHash: blockHash(height),
  blockNumber: hex(height),
  transactionIndex: hex(i),
});
const indexes = Array.from({ length: TRANSACTIONS_PER_BLOCK }, (_, i) => i);

const blockAt = (height: number, full: boolean) =>
  block({
    number: hex(height),
    hash: blockHash(height),
    parentHash: blockHash(height - 1),
    transactions: full
      ? indexes.map((i) =>
          transactionFixture({
            hash: transactionHash(height, i),
            from: addressOf(0x9000 + height * 1_000 + i),
            ...positionOf(height, i),
            input: `0x${'ab'.repeat(600)}`,
          }),
        )
      : [],
  });

const receiptsOf = (height: number) =>
  indexes.map((i) => {
    const position = { transactionHash: transactionHash(height, i), ...positionOf(height, i) };
    const logs = [0, 1].map((n) => logFixture({ ...position, logIndex: hex(2 * i + n), data: `0x${'cd'.repeat(64)}` }));
    return receiptFixture({ ...position, logs });
  });

/** First topic of the ERC-20 event `Transfer`. */
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Transfers of 5,000 contracts in 20 blocks. */
const logs = () =>
  Array.from({ length: LOG_COUNT }, (_, i) => {
    const height = 1 + Math.floor(i / 1_000);
    return logFixture({
      address: addressOf(i % 5_000),
      topics: [TRANSFER_TOPIC, hashOf(i * 3), hashOf(1)],
      data: hashOf(i),
      blockNumber: hex(height),
      blockHash: blockHash(height),
      transactionHash: transactionHash(1, i),
      logIndex: hex(i % 1_000),
    });
  });

/** Starts the node. It writes each distinct result once, so that it does not delay clients in the same process. */
export async function startBusyNode(): Promise<BusyNode> {
  const texts = new Map<string, string>();
  let callCount = 0;

  const written = (key: string, result: () => unknown): string => {
    const text = texts.get(key) ?? JSON.stringify(result());
    texts.set(key, text);
    return text;
  };

  /** The height of a block by its height, its hash or a tag. */
  const heightOf = (ref: string): number => {
    if (!ref.startsWith('0x')) return node.head;
    return ref.length === 66 ? Number(BigInt(ref)) - FIRST_HASH : Number(ref);
  };

  const resultOf = (method: string, params: readonly any[]): string | undefined => {
    switch (method) {
      case 'eth_chainId':
        return '"0x1"';
      case 'eth_blockNumber':
        return `"${hex(node.head)}"`;
      case 'eth_getBlockByNumber':
      case 'eth_getBlockByHash': {
        const height = heightOf(params[0]);
        return height > node.head ? 'null' : written(`block ${height} ${params[1]}`, () => blockAt(height, params[1]));
      }
      case 'eth_getBlockReceipts':
        return written(`receipts ${heightOf(params[0])}`, () => receiptsOf(heightOf(params[0])));
      case 'eth_getLogs':
        return written('logs', logs);
      case 'eth_getBalance':
      case 'eth_getTransactionCount':
        return '"0x1"';
      case 'eth_getStorageAt':
        return `"${hashOf(1)}"`;
    }
    return undefined;
  };

  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    const body = JSON.parse(text);
    const calls = [body].flat();
    callCount += calls.length;
    if (text.includes(SLOW_CONTRACT)) await setTimeout(SLOW_SEARCH_MS);
    const entries = calls.map(({ id, method, params }) => {
      const result = resultOf(method, params);
      const outcome = result === undefined ? '"error":{"code":-32601,"message":"unknown method"}' : `"result":${result}`;
      return `{"jsonrpc":"2.0","id":${id},${outcome}}`;
    });
    if (/eth_getLogs|eth_getBlockReceipts/.test(text)) node.onHeavyResponse();
    response.setHeader('content-type', 'application/json').end(Array.isArray(body) ? `[${entries.join()}]` : entries[0]);
  });
  const { url } = await startTestServer(server);
  const node: BusyNode = {
    url,
    head: 0x40,
    takeCallCount() {
      const count = callCount;
      callCount = 0;
      return count;
    },
    onHeavyResponse: () => {},
  };
  return node;
}

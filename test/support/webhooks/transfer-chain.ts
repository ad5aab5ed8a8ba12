import { hex, type SimChain } from '../simulator/chain.ts';
import type { SimNode } from '../simulator/node.ts';
import { blockOf, blockWith, normalizeFilter } from '../simulator/rpc-simulator.ts';
import type { SimBlock } from '../simulator/view.ts';
import { addressOf, logFixture, receiptFixture, transactionFixture } from '../upstream/rpc-fixtures.ts';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** The accounts that send and receive on a chain of transfers. */
export const ACCOUNTS = Array.from({ length: 6 }, (_none, i) => addressOf(0xacc0 + i));

/** A token contract on a chain of transfers. */
export const TOKEN = addressOf(0x70ce);

/** The effects of a transaction. Its hash determines them, so that they are equal in every block. */
export function effectsOf(hash: string) {
  const bytes = Buffer.from(hash.slice(2), 'hex');
  const account = (at: number) => ACCOUNTS[bytes[at]! % ACCOUNTS.length]!;
  const isSuccessful = bytes[2]! % 4 > 0;
  const tokenTransfers = isSuccessful ? bytes[3]! % 3 : 0;
  return {
    from: account(0),
    to: account(1),
    nonce: hex(bytes.readUInt16BE(10)),
    value: bytes[4]! % 3,
    isSuccessful,
    transfers: Array.from({ length: tokenTransfers }, (_none, i) => ({
      from: account(5 + i),
      to: account(7 + i),
      amount: 1 + (bytes[9]! % 3),
    })),
  };
}

const padded = (address: string) => `0x${'0'.repeat(24)}${address.slice(2)}`;

const placeIn = (block: SimBlock, hash: string) => ({
  blockHash: block.hash,
  blockNumber: hex(block.height),
  transactionIndex: hex(block.transactions.indexOf(hash)),
});

/** No transactions root covers the hashes of the simulator, so its transactions have a type that the server does not know. */
const UNKNOWN_TYPE = '0x7d';

export function transactionOf(hash: string, block: SimBlock | undefined) {
  const { from, to, nonce, value } = effectsOf(hash);
  const place = block ? placeIn(block, hash) : { blockHash: null, blockNumber: null, transactionIndex: null };
  return transactionFixture({ hash, from, to, nonce, type: UNKNOWN_TYPE, value: hex(value), ...place }) as { hash: string };
}

/** The receipts of a block to which its header commits. */
export const transferReceiptsOf = (transactions: readonly string[]) =>
  transactions.map((hash) => receiptWith(hash, { transactionHash: hash }, 0));

function receiptOf(hash: string, block: SimBlock) {
  const first = block.transactions
    .slice(0, block.transactions.indexOf(hash))
    .reduce((count, other) => count + effectsOf(other).transfers.length, 0);
  return receiptWith(hash, { transactionHash: hash, ...placeIn(block, hash) }, first);
}

function receiptWith(hash: string, place: object, firstIndex: number) {
  const { from, to, isSuccessful, transfers } = effectsOf(hash);
  const logs = transfers.map((transfer, i) =>
    logFixture({
      ...place,
      address: TOKEN,
      topics: [TRANSFER, padded(transfer.from), padded(transfer.to)],
      data: `0x${transfer.amount.toString(16).padStart(64, '0')}`,
      logIndex: hex(firstIndex + i),
    }),
  );
  return receiptFixture({ ...place, from, to, status: isSuccessful ? '0x1' : '0x0', logs });
}

/** Makes a simulated node serve the transactions of its chain. Returns the hashes of its pool, which a test changes. */
export function serveTransfers(node: SimNode, chain: SimChain, { hasBlockReceipts = true } = {}): Set<string> {
  const pool = new Set<string>();
  const blockAt = (ref: string) => (ref.length === 66 ? chain.block(ref) : chain.main.at(Number(ref)));
  const respond = (method: string, [first, second]: readonly any[]): unknown => {
    const block = typeof first === 'string' ? blockAt(first) : undefined;
    switch (method) {
      case 'eth_getBlockByHash':
      case 'eth_getBlockByNumber':
        if (!second || !block) return undefined;
        return { ...blockOf(block), transactions: block.transactions.map((hash) => transactionOf(hash, block)) };
      case 'eth_getBlockReceipts':
        return hasBlockReceipts ? (block?.transactions.map((hash) => receiptOf(hash, block)) ?? null) : undefined;
      case 'eth_getTransactionReceipt': {
        const holder = blockWith(chain, first);
        return holder ? receiptOf(first, holder) : null;
      }
      case 'eth_getTransactionByHash': {
        const holder = blockWith(chain, first);
        return holder || pool.has(first) ? transactionOf(first, holder) : null;
      }
      case 'eth_getTransactionCount':
        return '0x0';
      case 'eth_getLogs': {
        const { blockHash } = normalizeFilter(first, node.logFilterNames);
        const holder = blockHash === undefined ? chain.head : chain.block(blockHash);
        return first.topics?.[0] === TRANSFER && holder
          ? holder.transactions.flatMap((hash: string) => receiptOf(hash, holder).logs)
          : undefined;
      }
      default:
        return undefined;
    }
  };
  node.intercept = (method, params) => {
    const result = respond(method, params);
    return result === undefined ? undefined : { result };
  };
  return pool;
}

/** The facts of a block that concern these addresses, in the form of a naive model: one text for each. */
export function expectedFacts(block: SimBlock, addresses: ReadonlySet<string>): string[] {
  return block.transactions.flatMap((hash) => {
    const { from, to, value, isSuccessful, transfers } = effectsOf(hash);
    const all = [
      ...(isSuccessful && value > 0 ? [{ from, to, contract: null as string | null, amount: value }] : []),
      ...transfers.map((transfer) => ({ ...transfer, contract: TOKEN as string | null })),
    ];
    return [
      ...(addresses.has(from) ? [`mined ${hash} ${block.hash}`] : []),
      ...all
        .filter((transfer) => addresses.has(transfer.from) || addresses.has(transfer.to))
        .map(
          (transfer) => `transfer ${block.height} ${transfer.from} ${transfer.to} ${transfer.contract} ${hex(transfer.amount)}`,
        ),
    ];
  });
}

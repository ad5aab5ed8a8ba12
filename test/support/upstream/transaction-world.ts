import { afterEach } from '@jest/globals';
import { pino } from 'pino';
import { openLive } from '../../../src/domains/chain/subscriptions/index.ts';
import { openNode } from '../../../src/upstream/rpc/node.ts';
import { subscribeTo } from '../clients/stream-client.ts';
import { transaction } from '../graph/in-process.ts';
import { hex, SimChain } from '../simulator/chain.ts';
import { blockOf } from '../simulator/rpc-simulator.ts';
import type { SimBlock } from '../simulator/view.ts';
import { type FeedWorldOptions, feedOver, until } from '../subscriptions/feed.ts';

/** A transaction of a simulated chain. Which of them lies in which block, and which are in the pool, a test says. */
export interface Tx {
  readonly hash: string;
  readonly from: string;
  readonly nonce: number;
}

const NOWHERE = { blockHash: null, blockNumber: null, transactionIndex: null };

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/**
 * The streams of watched transactions over the real follower and feed, before a simulated node of forty blocks. `via`: the address by which transactions are asked for, where that is another one
 * than the node's.
 */
export async function transactionsOver(
  from: number,
  options: FeedWorldOptions = {},
  via: (url: string) => Promise<string> = async (url) => url,
) {
  const chain = new SimChain({ seed: from });
  chain.mine(40);
  const { feed, node, follower } = await feedOver(chain, options);
  const upstream = openNode({ urls: [await via(node.url)], batch: 100, timeoutMs: 10_000, log: pino({ level: 'silent' }) });
  stops.push(() => upstream.close());
  const live = openLive({ feed, sources: { node: upstream, follower } });
  const placed = new Map<string, readonly Tx[]>();
  const pool = new Set<Tx>();

  /** The blocks that have held a transaction, on whatever branch. */
  const holders = new Map<string, SimBlock[]>();

  const isBelow = (block: SimBlock, head: SimBlock): boolean => {
    let at: SimBlock | undefined = head;
    while (at && at.height > block.height) at = at.parent;
    return at === block;
  };
  const txsIn = ({ hash }: SimBlock) => placed.get(hash) ?? [];
  /** Where a transaction lies on the way down from a block. */
  const placeOf = (hash: string, head: SimBlock) => holders.get(hash)?.find((block) => isBelow(block, head));
  const placeIn = (block: SimBlock, hash: string) => ({
    blockHash: block.hash,
    blockNumber: hex(block.height),
    transactionIndex: hex(txsIn(block).findIndex((tx) => tx.hash === hash)),
  });
  const asRpc = ({ hash, from, nonce }: Tx, at: SimBlock | undefined) =>
    transaction({ hash, from, nonce: hex(nonce), ...(at ? placeIn(at, hash) : NOWHERE) });

  const answer = (method: string, [first, second]: readonly any[]): { result: unknown } | undefined => {
    if (method === 'eth_getTransactionByHash') {
      const at = placeOf(first, chain.head);
      const tx = at ? txsIn(at).find(({ hash }) => hash === first) : [...pool].find(({ hash }) => hash === first);
      return { result: tx ? asRpc(tx, at) : null };
    }
    if (method === 'eth_getTransactionCount') {
      const head = chain.block(second.blockHash)!;
      const used = [...placed.values()].flat().filter(({ hash, from: sender }) => sender === first && placeOf(hash, head));
      return { result: hex(Math.max(-1, ...used.map(({ nonce }) => nonce)) + 1) };
    }
    if (method === 'eth_getBlockByHash' && second === true) {
      const block = chain.block(first)!;
      return { result: { ...blockOf(block), transactions: txsIn(block).map((tx) => asRpc(tx, block)) } };
    }
    return undefined;
  };
  node.answer = answer;

  /** Moves the chain; before anybody can ask, these transactions lie in its new head. */
  const move = (depth: number, length: number, ...txs: Tx[]) => {
    const change = chain.reorg(depth, length);
    placed.set(chain.head.hash, txs);
    for (const tx of txs) {
      pool.delete(tx);
      holders.set(tx.hash, [...(holders.get(tx.hash) ?? []), chain.head]);
    }
    return change;
  };
  const status = (hash: string, confirmations = 3) => subscribeTo(live.transactionStatus(hash, confirmations));
  const caughtUp = () => until(() => feed.head?.hash === chain.head.hash);
  return { chain, feed, node, live, answer, pool, placeOf, txsIn, move, status, caughtUp };
}

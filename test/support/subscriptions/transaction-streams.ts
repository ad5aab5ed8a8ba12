import { createEventReads } from '../../../src/snapshot/event-reads.ts';
import { createRpcNode } from '../../../src/upstream/rpc/node.ts';
import { cleanups } from '../cleanups.ts';
import { subscribeToStream } from '../clients/stream-subscriber.ts';
import { log } from '../silent-log.ts';
import { hex, SimChain } from '../simulator/chain.ts';
import { blockOf } from '../simulator/rpc-simulator.ts';
import type { SimBlock } from '../simulator/view.ts';
import { EMPTY_ROOT, transactionFixture } from '../upstream/rpc-fixtures.ts';
import { type FeedSetupOptions, pollUntil, startFeed } from './feed-setup.ts';
import { createStreams } from './live-streams.ts';

/** A transaction of a simulated chain; a test decides its block or that it is pending. */
export interface SimulatedTransaction {
  readonly hash: string;
  readonly from: string;
  readonly nonce: number;
}

const NOT_MINED = { blockHash: null, blockNumber: null, transactionIndex: null };

/**
 * The streams of watched transactions over the real follower and feed of a simulated chain of forty blocks. `via`: returns the URL for
 * the reads of transactions.
 */
export async function startTransactionStreams(
  from: number,
  options: FeedSetupOptions = {},
  via: (url: string) => Promise<string> = async (url) => url,
) {
  const chain = new SimChain({ seed: from, blocks: 40 });
  const { feed, node, follower } = await startFeed(chain, options);
  const upstream = createRpcNode({
    urls: [await via(node.url)],
    maxBatchSize: 100,
    timeoutMs: 10_000,
    // The test decides the transactions of a block after its hash.
    headerChecks: 'report',
    log,
  });
  cleanups.push(() => upstream.close());
  const live = createStreams(feed, { node: upstream, follower, eventReads: createEventReads(feed) });
  const placed = new Map<string, readonly SimulatedTransaction[]>();
  const pool = new Set<SimulatedTransaction>();

  /** The blocks of all branches that contain a transaction, by its hash. */
  const blocksByTransaction = new Map<string, SimBlock[]>();

  const isAncestor = (block: SimBlock, head: SimBlock): boolean => {
    let at: SimBlock | undefined = head;
    while (at && at.height > block.height) at = at.parent;
    return at === block;
  };
  const txsIn = ({ hash }: SimBlock) => placed.get(hash) ?? [];
  /** The block of a transaction among the ancestors of a block. */
  const placeOf = (hash: string, head: SimBlock) => blocksByTransaction.get(hash)?.find((block) => isAncestor(block, head));
  const placeIn = (block: SimBlock, hash: string) => ({
    blockHash: block.hash,
    blockNumber: hex(block.height),
    transactionIndex: hex(txsIn(block).findIndex((tx) => tx.hash === hash)),
  });
  const toRpc = ({ hash, from, nonce }: SimulatedTransaction, at: SimBlock | undefined) =>
    transactionFixture({ hash, from, nonce: hex(nonce), ...(at ? placeIn(at, hash) : NOT_MINED) });

  const respond = (method: string, [first, second]: readonly any[]): { result: unknown } | undefined => {
    if (method === 'eth_getTransactionByHash') {
      const at = placeOf(first, chain.head);
      const tx = at ? txsIn(at).find(({ hash }) => hash === first) : [...pool].find(({ hash }) => hash === first);
      return { result: tx ? toRpc(tx, at) : null };
    }
    if (method === 'eth_getTransactionCount') {
      const head = chain.block(second.blockHash)!;
      const used = [...placed.values()].flat().filter(({ hash, from: sender }) => sender === first && placeOf(hash, head));
      return { result: hex(Math.max(-1, ...used.map(({ nonce }) => nonce)) + 1) };
    }
    if (method === 'eth_getBlockByHash' && second === true) {
      const block = chain.block(first)!;
      const transactions = txsIn(block).map((tx) => toRpc(tx, block));
      return { result: { ...blockOf(block), transactions, ...(transactions.length === 0 && { transactionsRoot: EMPTY_ROOT }) } };
    }
    return undefined;
  };
  node.intercept = respond;

  /** Moves the chain; its new head has these transactions before any request. */
  const move = (depth: number, length: number, ...txs: SimulatedTransaction[]) => {
    const change = chain.reorg(depth, length);
    placed.set(chain.head.hash, txs);
    for (const tx of txs) {
      pool.delete(tx);
      blocksByTransaction.set(tx.hash, [...(blocksByTransaction.get(tx.hash) ?? []), chain.head]);
    }
    return change;
  };
  const status = (hash: string, confirmations = 3) => subscribeToStream(live.transactionStatus(hash, confirmations));
  const caughtUp = () => pollUntil(() => feed.head?.hash === chain.head.hash);
  return { chain, feed, node, live, respond, pool, placeOf, txsIn, move, status, caughtUp };
}

import { addressOf, transactionFixture } from '../upstream/rpc-fixtures.ts';
import { hex, type SimChain } from './chain.ts';
import { balanceAt, blockOf, methodNotFound, receiptOf, SimRpcError } from './rpc-simulator.ts';
import type { SimBlock } from './view.ts';

const BASE_FEE = 1_000_000_000;
const MAX_FEE = 3_000_000_000;
const NOT_MINED = { blockHash: null, blockNumber: null, transactionIndex: null };

/** Differences between nodes. */
export interface SimTransactionsOptions {
  /** Whether `eth_getBlockReceipts` is supported. */
  readonly hasBlockReceipts: boolean;
  /** Whether blocks, and the state at them, are unavailable once a reorg has removed them. */
  readonly prunesRemovedBlocks: boolean;
}

/** The transactions of a simulated chain: indexes them by block, holds pending ones, and responds to calls about them. */
export class SimTransactions {
  /** The blocks that contain a transaction, on all branches. */
  readonly #blocksByTransaction = new Map<string, SimBlock[]>();
  readonly #pending = new Set<string>();
  /** Maps a replacement transaction to the transaction whose nonce it uses. */
  readonly #replacements = new Map<string, string>();
  readonly #chain: SimChain;
  readonly #options: SimTransactionsOptions;

  constructor(chain: SimChain, options: SimTransactionsOptions) {
    this.#chain = chain;
    this.#options = options;
    for (let height = 0; height <= chain.head.height; height++) this.#index(chain.main.at(height)!);
    chain.main.onChange(({ added }) => {
      for (const block of added) this.#index(block);
    });
  }

  #index(block: SimBlock): void {
    for (const hash of block.transactions) {
      const holders = this.#blocksByTransaction.get(hash) ?? [];
      if (!holders.includes(block)) this.#blocksByTransaction.set(hash, [...holders, block]);
      this.#pending.delete(hash);
    }
  }

  /** Adds a transaction to the pool. */
  addPending(hash: string): void {
    this.#pending.add(hash);
  }

  evict(hash: string): void {
    this.#pending.delete(hash);
  }

  /** Creates a transaction with the same sender and nonce. */
  replacementOf(hash: string): string {
    const rival = `0x${(this.#replacements.size + 1).toString(16).padStart(8, '0')}${hash.slice(10)}`;
    this.#replacements.set(rival, this.#replacements.get(hash) ?? hash);
    return rival;
  }

  isCanonical = (block: SimBlock): boolean => this.#chain.main.at(block.height) === block;

  /** The canonical block that holds a transaction. */
  blockContaining = (hash: string): SimBlock | undefined => this.#blocksByTransaction.get(hash)?.find(this.isCanonical);

  /** A transaction as it is in a block, or pending. */
  transactionIn(hash: string, block: SimBlock | undefined): Record<string, unknown> {
    const { from, nonce } = this.#senderOf(hash);
    const tip = Number.parseInt(hash.slice(2, 6), 16);
    const place = block
      ? { blockHash: block.hash, blockNumber: hex(block.height), transactionIndex: hex(block.transactions.indexOf(hash)) }
      : NOT_MINED;
    const gasPrice = hex(block ? BASE_FEE + tip : MAX_FEE);
    const fees = { gasPrice, maxFeePerGas: hex(MAX_FEE), maxPriorityFeePerGas: hex(tip) };
    return transactionFixture({ hash, from, nonce: hex(nonce), to: addressOf(1), ...fees, ...place });
  }

  receiptIn(hash: string, block: SimBlock): Record<string, unknown> {
    const { from, to } = this.transactionIn(hash, block);
    return { ...receiptOf(block, hash), from, to };
  }

  #senderOf(hash: string): { readonly from: string; readonly nonce: number } {
    const original = this.#replacements.get(hash) ?? hash;
    return { from: `0x${original.slice(2, 42)}`, nonce: Number.parseInt(original.slice(-2), 16) };
  }

  /** Returns the result of a call about transactions; undefined for calls that the simulated node handles. */
  respond = (method: string, [first, second]: readonly any[]): { result: unknown } | undefined => {
    const { hasBlockReceipts, prunesRemovedBlocks } = this.#options;
    const known = (hash: string): SimBlock | undefined => {
      const block = this.#chain.block(hash);
      return block && (!prunesRemovedBlocks || this.isCanonical(block)) ? block : undefined;
    };
    const stateBlock = (ref: { readonly blockHash: string }): SimBlock => {
      const block = known(ref?.blockHash);
      if (!block) throw new SimRpcError(-32000, 'header not found');
      return block;
    };
    switch (method) {
      case 'eth_getTransactionByHash': {
        const block = this.blockContaining(first);
        return { result: block || this.#pending.has(first) ? this.transactionIn(first, block) : null };
      }
      case 'eth_getTransactionReceipt': {
        const block = this.blockContaining(first);
        return { result: block ? this.receiptIn(first, block) : null };
      }
      case 'eth_getBlockReceipts': {
        if (!hasBlockReceipts) throw methodNotFound(method);
        const block = known(first);
        return { result: block ? block.transactions.map((hash) => this.receiptIn(hash, block)) : null };
      }
      case 'eth_getTransactionByBlockHashAndIndex': {
        const block = known(first);
        const hash = block?.transactions[Number(second)];
        return { result: hash ? this.transactionIn(hash, block) : null };
      }
      case 'eth_getBlockByHash': {
        const block = known(first);
        if (!block) return { result: null };
        return second
          ? { result: { ...blockOf(block), transactions: block.transactions.map((hash) => this.transactionIn(hash, block)) } }
          : undefined;
      }
      case 'eth_getTransactionCount': {
        const head = stateBlock(second);
        const used = [...this.#blocksByTransaction].some(
          ([hash, holders]) =>
            this.#senderOf(hash).from === first &&
            holders.some((block) => this.isCanonical(block) && block.height <= head.height),
        );
        const [hash] = [...this.#blocksByTransaction.keys(), ...this.#pending].filter(
          (candidate) => this.#senderOf(candidate).from === first,
        );
        return { result: hex(hash ? this.#senderOf(hash).nonce + (used ? 1 : 0) : 0) };
      }
      case 'eth_getLogs': {
        const hash = first.blockHash ?? first.blockhash;
        // The simulated node responds to an unknown hash, by which a server finds out the name of its filter.
        if (this.#chain.block(hash) && !known(hash)) throw new SimRpcError(-32000, 'unknown block');
        return undefined;
      }
      case 'eth_getBalance':
        return { result: balanceAt(stateBlock(second)) };
      default:
        return undefined;
    }
  };
}

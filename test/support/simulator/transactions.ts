import { addressOf, receipt, transaction } from '../graph/in-process.ts';
import { hex, type SimChain } from './chain.ts';
import { balanceAt, blockOf, WireError } from './rpc-simulator.ts';
import type { SimBlock } from './view.ts';

const BASE_FEE = 1_000_000_000;
const MAX_FEE = 3_000_000_000;
const NOWHERE = { blockHash: null, blockNumber: null, transactionIndex: null };

/** What a node may differ in. */
export interface SimTransactionsOptions {
  /** Whether it has `eth_getBlockReceipts`. */
  readonly hasBlockReceipts: boolean;
  /** Whether it forgets blocks, and the state at them, as soon as a reorg removes them. */
  readonly forgetsBlocks: boolean;
}

/** The transactions of a simulated chain: which block has which, which are pending, and what the node answers about them. */
export class SimTransactions {
  /** Blocks that have held a transaction, on whatever branch. */
  readonly #holders = new Map<string, SimBlock[]>();
  readonly #pending = new Set<string>();
  /** By a transaction that spends the nonce of another one, that other one. */
  readonly #rivals = new Map<string, string>();
  readonly #chain: SimChain;
  readonly #options: SimTransactionsOptions;

  constructor(chain: SimChain, options: SimTransactionsOptions) {
    this.#chain = chain;
    this.#options = options;
    for (let height = 0; height <= chain.head.height; height++) this.#take(chain.main.at(height)!);
    chain.main.onChange(({ added }) => {
      for (const block of added) this.#take(block);
    });
  }

  #take(block: SimBlock): void {
    for (const hash of block.transactions) {
      const holders = this.#holders.get(hash) ?? [];
      if (!holders.includes(block)) this.#holders.set(hash, [...holders, block]);
      this.#pending.delete(hash);
    }
  }

  /** A transaction that waits to be mined. */
  pend(hash: string): void {
    this.#pending.add(hash);
  }

  evict(hash: string): void {
    this.#pending.delete(hash);
  }

  /** A transaction of the same sender and nonce. */
  rivalOf(hash: string): string {
    const rival = `0x${(this.#rivals.size + 1).toString(16).padStart(8, '0')}${hash.slice(10)}`;
    this.#rivals.set(rival, this.#rivals.get(hash) ?? hash);
    return rival;
  }

  isCanonical = (block: SimBlock): boolean => this.#chain.main.at(block.height) === block;

  /** The canonical block that holds a transaction. */
  blockWith = (hash: string): SimBlock | undefined => this.#holders.get(hash)?.find(this.isCanonical);

  /** A transaction as it is in a block, or pending. */
  asIn(hash: string, block: SimBlock | undefined): Record<string, unknown> {
    const { from, nonce } = this.#senderOf(hash);
    const tip = Number.parseInt(hash.slice(2, 6), 16);
    const place = block
      ? { blockHash: block.hash, blockNumber: hex(block.height), transactionIndex: hex(block.transactions.indexOf(hash)) }
      : NOWHERE;
    const gasPrice = hex(block ? BASE_FEE + tip : MAX_FEE);
    const fees = { gasPrice, maxFeePerGas: hex(MAX_FEE), maxPriorityFeePerGas: hex(tip) };
    return transaction({ hash, from, nonce: hex(nonce), to: addressOf(1), ...fees, ...place });
  }

  statusOf = (hash: string): string => (Number.parseInt(hash.slice(-1), 16) % 2 === 0 ? '0x1' : '0x0');

  receiptIn(hash: string, block: SimBlock): Record<string, unknown> {
    const { blockHash, blockNumber, transactionIndex, from, to } = this.asIn(hash, block);
    const place = { transactionHash: hash, blockHash, blockNumber, transactionIndex, from, to };
    return receipt({ ...place, status: this.statusOf(hash), logs: block.logs.filter((log) => log.transactionHash === hash) });
  }

  #senderOf(hash: string): { readonly from: string; readonly nonce: number } {
    const own = this.#rivals.get(hash) ?? hash;
    return { from: `0x${own.slice(2, 42)}`, nonce: Number.parseInt(own.slice(-2), 16) };
  }

  /** The answer to a call; undefined where the simulated node answers by itself. */
  answer = (method: string, [first, second]: readonly any[]): { result: unknown } | undefined => {
    const { hasBlockReceipts, forgetsBlocks } = this.#options;
    const known = (hash: string): SimBlock | undefined => {
      const block = this.#chain.block(hash);
      return block && (!forgetsBlocks || this.isCanonical(block)) ? block : undefined;
    };
    const stateBlock = (ref: any): SimBlock => {
      const block = known(ref?.blockHash);
      if (!block) throw new WireError(-32000, 'header not found');
      return block;
    };
    switch (method) {
      case 'eth_getTransactionByHash': {
        const block = this.blockWith(first);
        return { result: block || this.#pending.has(first) ? this.asIn(first, block) : null };
      }
      case 'eth_getTransactionReceipt': {
        const block = this.blockWith(first);
        return { result: block ? this.receiptIn(first, block) : null };
      }
      case 'eth_getBlockReceipts': {
        if (!hasBlockReceipts) throw new WireError(-32601, 'the method eth_getBlockReceipts does not exist/is not available');
        const block = known(first);
        return { result: block ? block.transactions.map((hash) => this.receiptIn(hash, block)) : null };
      }
      case 'eth_getTransactionByBlockHashAndIndex': {
        const block = known(first);
        const hash = block?.transactions[Number(second)];
        return { result: hash ? this.asIn(hash, block) : null };
      }
      case 'eth_getBlockByHash': {
        const block = known(first);
        if (!block) return { result: null };
        return second
          ? { result: { ...blockOf(block), transactions: block.transactions.map((hash) => this.asIn(hash, block)) } }
          : undefined;
      }
      case 'eth_getTransactionCount': {
        const head = stateBlock(second);
        const used = [...this.#holders].some(
          ([hash, holders]) =>
            this.#senderOf(hash).from === first &&
            holders.some((block) => this.isCanonical(block) && block.height <= head.height),
        );
        const [hash] = [...this.#holders.keys(), ...this.#pending].filter((one) => this.#senderOf(one).from === first);
        return { result: hex(hash ? this.#senderOf(hash).nonce + (used ? 1 : 0) : 0) };
      }
      case 'eth_getLogs':
        if (first.blockHash && !known(first.blockHash)) throw new WireError(-32000, 'unknown block');
        return undefined;
      case 'eth_getBalance':
        return { result: balanceAt(stateBlock(second)) };
      default:
        return undefined;
    }
  };
}

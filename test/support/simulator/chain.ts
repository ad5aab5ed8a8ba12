import { encodeHeader } from '../../../src/ethereum/encoding/block.ts';
import { keccakOfDigits } from '../../../src/ethereum/encoding/keccak.ts';
import { listRoot } from '../../../src/ethereum/encoding/list-root.ts';
import { encodeReceipt } from '../../../src/ethereum/encoding/transaction.ts';
import type { RpcReceipt } from '../../../src/ethereum/rpc-types.ts';
import { finished } from '../ethereum/finished.ts';
import { bloomOf } from '../ethereum/logs-bloom.ts';
import { random as createRandom } from '../random-tests.ts';
import { EMPTY_ROOT } from '../upstream/rpc-fixtures.ts';
import { type SimBlock, type SimChange, SimView } from './view.ts';

/** The header fields that each fork added. */
const HEADER_FIELDS = {
  frontier:
    'parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit gasUsed timestamp extraData mixHash nonce',
  london: 'baseFeePerGas',
  shanghai: 'withdrawalsRoot',
  cancun: 'blobGasUsed excessBlobGas parentBeaconBlockRoot',
  prague: 'requestsHash',
};
export type SimFork = keyof typeof HEADER_FIELDS;
const fieldsUpTo = (fork: SimFork): string[] =>
  Object.values(HEADER_FIELDS)
    .slice(0, Object.keys(HEADER_FIELDS).indexOf(fork) + 1)
    .flatMap((names) => names.split(' '));
export const EMPTY_BLOOM = `0x${'0'.repeat(512)}`;

export const hex = (n: number): string => `0x${n.toString(16)}`;

export interface SimChainOptions {
  readonly seed: number;
  /** `real` computes logs blooms at a few hashes per log; `zero` leaves them empty, as some chains do. */
  readonly bloom?: 'real' | 'zero';
  readonly blockSeconds?: number;
  /** Timestamp of block 0. */
  readonly genesisTime?: number;
  /** The fork that determines the header fields. */
  readonly fork?: SimFork;
  /** Maximum number of logs in a block. */
  readonly maxLogsPerBlock?: number;
  /** Number of non-canonical blocks that can still be read by hash. */
  readonly maxOrphans?: number;
  /** Number of blocks that are mined at once. */
  readonly blocks?: number;
  /** Returns the receipts of a block to which its header commits, if a test serves other receipts than the receipts of the simulator. */
  readonly receiptsOf?: ((transactions: readonly string[]) => readonly object[]) | undefined;
}

/** A chain that tests mine and reorganise. Deterministic: the blocks depend on the seed and the calls only. */
export class SimChain {
  /** The canonical chain. */
  readonly main: SimView;
  readonly #byHash = new Map<string, SimBlock>();
  readonly #orphans: SimBlock[] = [];
  readonly #draw: () => number;
  readonly #options: Required<SimChainOptions>;
  /** Names of the header fields. */
  readonly #fields: readonly string[];
  /** Transactions to include in the next blocks, before generated ones. */
  readonly queuedTransactions: string[] = [];

  constructor(options: SimChainOptions) {
    this.#options = {
      bloom: 'zero',
      blockSeconds: 12,
      genesisTime: 1_735_689_600,
      fork: 'prague',
      maxOrphans: 2_000,
      maxLogsPerBlock: 3,
      blocks: 0,
      receiptsOf: undefined,
      ...options,
    };
    this.#fields = fieldsUpTo(this.#options.fork);
    this.#draw = createRandom(options.seed);
    this.main = new SimView(this.#createBlock(undefined));
    this.mine(this.#options.blocks);
  }

  get head(): SimBlock {
    return this.main.head;
  }

  block(hash: string): SimBlock | undefined {
    return this.#byHash.get(hash);
  }

  /** Adds blocks to the head. */
  mine(count = 1): SimChange {
    return this.reorg(0, count);
  }

  /** Replaces the last `depth` blocks with `length` new ones. */
  reorg(depth: number, length: number): SimChange {
    let head = this.main.at(Math.max(0, this.head.height - depth))!;
    for (let i = 0; i < length; i++) head = this.#createBlock(head);
    const change = this.main.moveTo(head);
    this.#orphans.push(...change.removed);
    const pruned = this.#orphans.splice(0, Math.max(0, this.#orphans.length - this.#options.maxOrphans));
    for (const { hash } of pruned) this.#byHash.delete(hash);
    return change;
  }

  #randomHex(bytes = 32): string {
    const words = Buffer.allocUnsafe(bytes);
    for (let at = 0; at < bytes; at += 4) words.writeUInt32BE(this.#draw() * 2 ** 32, at);
    return `0x${words.toString('hex')}`;
  }

  #createBlock(parent: SimBlock | undefined): SimBlock {
    const height = parent ? parent.height + 1 : 0;
    const count = Math.floor(this.#draw() * (this.#options.maxLogsPerBlock + 1));
    const transactions = Array.from(
      { length: count === 0 ? 0 : 1 + (count > 2 ? 1 : 0) },
      () => this.queuedTransactions.shift() ?? this.#randomHex(),
    );
    const logDrafts = Array.from({ length: count }, (_none, i) => ({
      address: addressOf(1 + Math.floor(this.#draw() * 5)),
      topics: [topicOf(1 + Math.floor(this.#draw() * 3)), topicOf(16 + Math.floor(this.#draw() * 8))],
      data: hex(0x10 + i),
      transactionIndex: hex(Math.min(i, transactions.length - 1)),
    }));
    const createBloom = this.#options.bloom === 'real' ? bloomOf : () => EMPTY_BLOOM;
    const receipts = transactions.map((transaction, i) => {
      const logs = logDrafts.filter(({ transactionIndex }) => Number(transactionIndex) === i);
      return {
        type: '0x2',
        status: statusOf(transaction),
        cumulativeGasUsed: hex(21_000 * (i + 1)),
        logsBloom: createBloom(logs),
        logs,
      };
    });
    const fields: Record<string, string> = {
      parentHash: parent?.hash ?? `0x${'0'.repeat(64)}`,
      sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
      miner: addressOf(0xfee),
      stateRoot: this.#randomHex(),
      transactionsRoot: transactions.length === 0 ? EMPTY_ROOT : this.#randomHex(),
      receiptsRoot: receiptsRootOf(this.#options.receiptsOf?.(transactions) ?? receipts),
      logsBloom: createBloom(logDrafts),
      difficulty: '0x0',
      number: hex(height),
      gasLimit: '0x1c9c380',
      gasUsed: hex(21_000 * transactions.length),
      timestamp: hex(this.#options.genesisTime + height * this.#options.blockSeconds),
      extraData: '0x',
      mixHash: this.#randomHex(),
      nonce: '0x0000000000000000',
      baseFeePerGas: '0x3b9aca00',
      withdrawalsRoot: EMPTY_ROOT,
      blobGasUsed: '0x0',
      excessBlobGas: '0x0',
      parentBeaconBlockRoot: this.#randomHex(),
      requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    };
    const header: Record<string, string> = Object.fromEntries(this.#fields.map((name) => [name, fields[name]!]));
    const hash = keccakOfDigits(encodeHeader(header)!);
    header.hash = hash;
    const logs = logDrafts.map((draft, i) => ({
      ...draft,
      blockNumber: hex(height),
      blockHash: hash,
      transactionHash: transactions[Number(draft.transactionIndex)]!,
      logIndex: hex(i),
      removed: false,
    }));
    const blooms = receipts.map(({ logsBloom }) => logsBloom);
    const block = { hash, height, parent, header, transactions, blooms, logs };
    this.#byHash.set(hash, block);
    return block;
  }
}

const receiptsRootOf = (receipts: readonly object[]): string =>
  finished(listRoot(receipts.map((receipt) => encodeReceipt(receipt as RpcReceipt)!)));

/** Whether a transaction succeeds, as a value of a receipt. */
export const statusOf = (hash: string): string => (Number.parseInt(hash.slice(-1), 16) % 2 === 0 ? '0x1' : '0x0');

const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
const topicOf = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;

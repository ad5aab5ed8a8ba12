import { type Head, readHead } from '../../../src/sync/chain/rpc-header.ts';
import { block, hashOf, receiptFixture, transactionFixture } from './rpc-fixtures.ts';

/** A chain of any length whose blocks are computed from their height. */
export interface LongChain {
  /** Height of the head. */
  head: number;
  /** Number of transactions in a block. */
  transactionCount(height: number): number;
  timestampOf(height: number): number;
  /** Fields of one transaction that differ from the fixture. */
  transactionFields(height: number, index: number): Record<string, unknown>;
  /** The branch of a block: another number gives another hash. */
  branchOf(height: number): number;
  /** Whether the node lacks a block. */
  isMissing(height: number): boolean;
}

/** Returns a chain of empty blocks with 12 seconds between them, except for the blocks that the test changes. */
export const createLongChain = (head: number, changes: Partial<LongChain> = {}): LongChain => ({
  head,
  transactionCount: () => 0,
  timestampOf: (height) => 12 * height,
  transactionFields: () => ({}),
  branchOf: () => 0,
  isMissing: () => false,
  ...changes,
});

const FIRST_HASH = 0x1_0000_0000;
const BRANCH_SIZE = 0x1_0000_0000;
const FIRST_TRANSACTION_HASH = 0x100_0000_0000_000;
const hex = (value: number): string => `0x${value.toString(16)}`;

/** The hash of a block of the chain. */
export const blockHashOf = ({ branchOf }: LongChain, height: number): string =>
  hashOf(FIRST_HASH + branchOf(height) * BRANCH_SIZE + height);

/** The hash of a transaction of the chain. */
export const transactionHashAt = (height: number, index: number): string =>
  hashOf(FIRST_TRANSACTION_HASH + height * 1_000 + index);

/** The height of a block by its height, its hash or a tag; undefined for a block of another branch and above the head. */
function heightOf(chain: LongChain, ref: string): number | undefined {
  const height = ref.length === 66 ? Number(BigInt(ref) % BigInt(BRANCH_SIZE)) : ref.startsWith('0x') ? Number(ref) : chain.head;
  if (height > chain.head || (ref.length === 66 && ref !== blockHashOf(chain, height))) return undefined;
  return height;
}

const transactionAt = (chain: LongChain, height: number, index: number) =>
  transactionFixture({
    hash: transactionHashAt(height, index),
    blockHash: blockHashOf(chain, height),
    blockNumber: hex(height),
    transactionIndex: hex(index),
    ...chain.transactionFields(height, index),
  });

const indexesOf = (chain: LongChain, height: number) => Array.from({ length: chain.transactionCount(height) }, (_, i) => i);

function blockAt(chain: LongChain, ref: string, full: boolean) {
  const height = heightOf(chain, ref);
  if (height === undefined || chain.isMissing(height)) return null;
  return block({
    number: hex(height),
    hash: blockHashOf(chain, height),
    parentHash: height === 0 ? hashOf(0) : blockHashOf(chain, height - 1),
    timestamp: hex(chain.timestampOf(height)),
    transactions: indexesOf(chain, height).map((i) => (full ? transactionAt(chain, height, i) : transactionHashAt(height, i))),
  });
}

const receiptAt = (chain: LongChain, height: number, index: number) => {
  const { hash, blockHash, blockNumber, transactionIndex, from, to } = transactionAt(chain, height, index);
  return receiptFixture({ transactionHash: hash, transactionIndex, blockHash, blockNumber, from, to, gasUsed: hex(index + 1) });
};

/** The responses of a node that serves the chain. */
export const responsesOf = (chain: LongChain) => ({
  eth_getBlockByNumber: (ref: string, full: boolean) => blockAt(chain, ref, full),
  eth_getBlockByHash: (ref: string, full: boolean) => blockAt(chain, ref, full),
  eth_getBlockReceipts(ref: string) {
    const height = heightOf(chain, ref);
    return height === undefined ? null : indexesOf(chain, height).map((i) => receiptAt(chain, height, i));
  },
  eth_getTransactionReceipt(hash: string) {
    const id = Number(BigInt(hash) - BigInt(FIRST_TRANSACTION_HASH));
    return receiptAt(chain, Math.floor(id / 1_000), id % 1_000);
  },
});

/** A follower that knows the newest blocks of the chain, as it is now. */
export function followerOf(chain: LongChain, blocks: number) {
  const headAt = (ref: string): Head | undefined => {
    const height = heightOf(chain, ref);
    return height === undefined || height <= chain.head - blocks ? undefined : readHead(blockAt(chain, ref, false));
  };
  return {
    get head() {
      return headAt('latest');
    },
    get oldest() {
      return headAt(hex(Math.max(0, chain.head - blocks + 1)));
    },
    get settledBelow() {
      return chain.head - Math.max(blocks - 1, 32);
    },
    hashAt: (number: string) => headAt(number)?.hash,
    headerOf: (hash: string) => headAt(hash),
    subscribe: () => () => {},
  };
}

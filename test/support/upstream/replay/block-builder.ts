import { decodeRlp, encodeRlp, keccak256, toBeHex, toQuantity } from 'ethers';
import type { RpcBlock, RpcReceipt, RpcTransaction, RpcWithdrawal } from '../../../../src/ethereum/rpc-types.ts';
import { bloomOf } from '../../ethereum/logs-bloom.ts';
import type { Present } from '../../graph/results.ts';
import type { NodeBlock } from '../../graph/rpc.ts';
import { encodeBlockBody, encodeBlockHeader, encodeTypedReceipt, encodeWithdrawalFields, trieRoot } from '../encodings.ts';
import type { BuiltTransaction } from './transaction-builder.ts';

/** A block as a node returns it, with whole transactions, and what the node returns about its contents. */
export interface ReplayedBlock {
  readonly block: NodeBlock<RpcTransaction>;
  readonly receipts: readonly Present<RpcReceipt>[];
  readonly ommers: readonly RpcBlock[];
  /** The encodings of the transactions. */
  readonly raw: readonly string[];
}

/** What a test chooses of a block. */
export interface BlockContents {
  readonly header?: Record<string, unknown>;
  readonly transactions?: readonly BuiltTransaction[];
  readonly ommers?: readonly { readonly hash: string }[];
  readonly withdrawals?: readonly RpcWithdrawal[];
}

const ZERO_BLOOM = `0x${'0'.repeat(512)}`;
const NO_OMMERS = keccak256('0xc0');

const headerFields = (number: number, parentHash: string) => ({
  number: toQuantity(number),
  parentHash,
  sha3Uncles: NO_OMMERS,
  miner: `0x${'c0'.repeat(20)}`,
  stateRoot: keccak256(toBeHex(number + 1)),
  transactionsRoot: trieRoot([]),
  receiptsRoot: trieRoot([]),
  logsBloom: ZERO_BLOOM,
  difficulty: '0x20000',
  gasLimit: '0x47e7c4',
  gasUsed: '0x0',
  timestamp: toQuantity(1_500_000_000 + 12 * number),
  extraData: '0xd883010203',
  mixHash: keccak256('0x02'),
  nonce: '0x00000000000000ff',
});

const withHash = <Header extends object>(header: Header) => ({ ...header, hash: keccak256(encodeBlockHeader(header)) });

/** Builds an ommer, as nodes return it: a block without transactions. */
export const buildOmmer = (number: number, parentHash: string, changes: Record<string, unknown>) => ({
  ...withHash({ ...headerFields(number, parentHash), ...changes }),
  size: '0x21d',
  uncles: [],
});

/** Receipts with all derived fields except the fields of the block. */
function completeReceipts(transactions: readonly BuiltTransaction[]) {
  let cumulativeGasUsed = 0;
  let logIndex = 0;
  return transactions.map(({ json, receipt: { logs = [], gasUsed, ...receipt } }, i) => {
    cumulativeGasUsed += gasUsed;
    const position = { transactionHash: json.hash, transactionIndex: toQuantity(i) };
    return {
      contractAddress: null,
      ...position,
      from: json.from,
      to: json.to ?? null,
      gasUsed: toQuantity(gasUsed),
      cumulativeGasUsed: toQuantity(cumulativeGasUsed),
      logsBloom: bloomOf(logs),
      logs: logs.map((log) => ({ ...log, ...position, logIndex: toQuantity(logIndex++), removed: false })),
      ...(json.type && { type: json.type }),
      ...receipt,
    };
  });
}

/** Builds a block on its parent: its roots, its bloom, its hash, and the positions of its contents. */
export function buildBlock(
  number: number,
  parentHash: string,
  { header, transactions = [], ommers = [], withdrawals }: BlockContents,
): ReplayedBlock {
  const receipts = completeReceipts(transactions);
  const raw = transactions.map((transaction) => transaction.raw);
  const items = withdrawals && { withdrawals, withdrawalsRoot: trieRoot(withdrawals.map(encodeWithdrawalFields)) };
  const block = withHash({
    ...headerFields(number, parentHash),
    sha3Uncles: keccak256(encodeRlp(ommers.map((ommer) => decodeRlp(encodeBlockHeader(ommer))))),
    transactionsRoot: trieRoot(raw),
    receiptsRoot: trieRoot(receipts.map(encodeTypedReceipt)),
    logsBloom: bloomOf(receipts.flatMap(({ logs }) => logs)),
    gasUsed: receipts.at(-1)?.cumulativeGasUsed ?? '0x0',
    ...items,
    ...header,
  });
  const position = { blockHash: block.hash, blockNumber: block.number };
  const size = toQuantity((encodeBlockBody(block, raw, ommers).length - 2) / 2);
  // As JSON, which has no undefined values.
  return JSON.parse(
    JSON.stringify({
      block: {
        ...block,
        size,
        uncles: ommers.map(({ hash }) => hash),
        transactions: transactions.map(({ json }, i) => ({ ...json, ...position, transactionIndex: toQuantity(i) })),
      },
      receipts: receipts.map(({ logs, ...receipt }) => ({
        ...receipt,
        ...position,
        logs: logs.map((log) => ({ ...log, ...position })),
      })),
      ommers,
      raw,
    }),
  );
}

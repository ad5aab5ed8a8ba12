import type { internalTransfers } from '../../../ethereum/call-frames.ts';
import { typeNumber } from '../../../ethereum/encoding/transaction.ts';
import { type Data, type Quantity, sameData, toBigInt, toData, toQuantity } from '../../../ethereum/hex.ts';
import type { RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from '../../../ethereum/rpc-types.ts';
import { isEtherTransferLog, type TokenMetadata, TRANSFER_TOPIC } from '../../../ethereum/tokens.ts';
import { effectiveGasPrice } from '../../../ethereum/transaction-values.ts';
import { forEachYielding, OperationBudget } from '../../../lib/operation-budget.ts';
import type { AddressActivity, NotifiedTransaction } from '../model.ts';

/** The facts of a block that notifications can report. */
export interface BlockFacts {
  /** Its transactions, including reverted ones. */
  readonly mined: readonly NotifiedTransaction[];
  /**
   * Its transfers in the order of the chain: the native transfer of a transaction, the transfers inside it if they are
   * read, and its transfers of tokens.
   */
  readonly transfers: readonly AddressActivity[];
}

/** A block with full transactions. */
export type FullBlock = Pick<RpcBlock, 'number' | 'baseFeePerGas'> & { readonly transactions: readonly RpcTransaction[] };

/** The part of a receipt from which transfers follow. */
export type TransferReceipt = Pick<RpcReceipt, 'transactionHash' | 'status' | 'contractAddress' | 'logs'>;

/** Returns the metadata of an ERC-20 token that is known without a call; undefined for an unknown token. */
export type FindToken = (contract: Data) => Pick<TokenMetadata, 'symbol' | 'decimals'> | undefined;

/** The transfers of ether inside transactions, by the hash of their transaction. */
export type InternalTransfers = ReadonlyMap<Data, ReturnType<typeof internalTransfers>>;

/** The native coin of most networks. */
const ETHER = 'ETH';
const NATIVE_DECIMALS = 18;
/** An ERC-721 transfer moves one token, independent of its id. */
const ONE_TOKEN = '0x1';

/**
 * Resolves with the facts of a block. The caller omits the receipt of a transaction whose native transfer concerns no
 * registration. Rejects with UPSTREAM_BAD_RESPONSE for a malformed number.
 */
export async function blockFacts(
  block: FullBlock,
  receipts: readonly TransferReceipt[],
  findToken: FindToken,
  internal: InternalTransfers = new Map(),
  nativeAsset = ETHER,
) {
  const budget = new OperationBudget();
  const byHash = new Map(receipts.map((receipt) => [receipt.transactionHash.toLowerCase(), receipt]));
  const mined: NotifiedTransaction[] = [];
  const transfers: AddressActivity[] = [];
  for (const transaction of block.transactions) {
    const gasPrice = effectiveGasPrice(transaction, block.baseFeePerGas);
    mined.push(notifiedTransaction(gasPrice === null ? transaction : { ...transaction, gasPrice }));
    const receipt = byHash.get(transaction.hash.toLowerCase());
    if (!receipt) continue;
    const place = { blockNumber: block.number, transactionHash: transaction.hash.toLowerCase() };
    for (const transfer of nativeTransfers(transaction, receipt, nativeAsset)) transfers.push({ ...place, ...transfer });
    for (const transfer of internal.get(place.transactionHash) ?? [])
      transfers.push({ ...place, ...nativeTransfer(transfer, 'internal', nativeAsset) });
    await forEachYielding(receipt.logs, budget, (log) => {
      for (const transfer of tokenTransfers(log, findToken)) transfers.push({ ...place, ...transfer });
    });
  }
  return { mined, transfers };
}

/** A transaction of the node in the form of a notification. Amounts are in wei. */
export const notifiedTransaction = (transaction: RpcTransaction): NotifiedTransaction => ({
  hash: lower(transaction.hash),
  nonce: quantity(transaction.nonce),
  blockHash: lowerOrNull(transaction.blockHash),
  blockNumber: quantityOrNull(transaction.blockNumber),
  transactionIndex: quantityOrNull(transaction.transactionIndex),
  from: lower(transaction.from),
  to: lowerOrNull(transaction.to),
  value: quantity(transaction.value),
  gasPrice: quantityOrNull(transaction.gasPrice ?? transaction.maxFeePerGas),
  gas: quantity(transaction.gas),
  inputData: lower(transaction.input),
  // The hash of a transaction with a type covers the parity.
  v: quantityOrNull(typeNumber(transaction.type) > 0 ? (transaction.yParity ?? transaction.v) : transaction.v),
  r: quantityOrNull(transaction.r),
  s: quantityOrNull(transaction.s),
});

type Transfer = Omit<AddressActivity, 'blockNumber' | 'transactionHash'>;

/** The value of a successful transaction. Receipts before Byzantium have no status; their transactions count as successful. */
function nativeTransfers(
  { from, to, value }: RpcTransaction,
  { status, contractAddress }: TransferReceipt,
  asset: string,
): Transfer[] {
  const amount = toBigInt(value);
  const recipient = lowerOrNull(to ?? contractAddress);
  const isFailed = typeof status === 'string' && toBigInt(status) === 0n;
  if (isFailed || amount === 0n || recipient === null) return [];
  return [nativeTransfer({ from, to: recipient, value }, 'external', asset)];
}

type MovedValue = Pick<RpcTransaction, 'from' | 'value'> & { readonly to: Data };

function nativeTransfer({ from, to, value }: MovedValue, category: string, asset: string): Transfer {
  const rawContract = { rawValue: quantity(value), address: null, decimals: NATIVE_DECIMALS };
  const decoded = decodedAmount(toBigInt(value), NATIVE_DECIMALS);
  return { category, from: lower(from), to: lower(to), value: decoded, asset, rawContract };
}

/** The nearest double, because the text is parsed as a decimal number. */
const decodedAmount = (amount: bigint, decimals: number): number => Number(`${amount}e-${decimals}`);

/**
 * The transfer of a log. Symbol and decimals of a token that no list has are unknown, because they would need further
 * calls for each block.
 */
function tokenTransfers(log: RpcLog, findToken: FindToken): Transfer[] {
  const { address, topics, data, removed } = log;
  if (removed === true || !sameData(topics[0], TRANSFER_TOPIC) || isEtherTransferLog(log)) return [];
  const [from, to] = [addressOf(topics[1]), addressOf(topics[2])];
  if (from === undefined || to === undefined) return [];
  if (topics.length === 4 && data === '0x') {
    const rawContract = { rawValue: ONE_TOKEN, address: lower(address), decimals: 0 };
    return [{ category: 'erc721', from, to, asset: null, value: 1, tokenId: toQuantity(topics[3], 256) ?? null, rawContract }];
  }
  const word = topics.length === 3 ? toData(data, 32) : undefined;
  if (word === undefined) return [];
  const { symbol: asset = null, decimals = null } = findToken(address) ?? {};
  const value = decimals === null ? null : decodedAmount(toBigInt(word), decimals);
  const rawContract = { rawValue: quantity(word), address: lower(address), decimals };
  return [{ category: 'token', from, to, asset, value, rawContract }];
}

/** The address of an indexed argument; undefined if the log does not have it. */
const addressOf = (topic: Data | undefined): Data | undefined => {
  const word = toData(topic, 32);
  return word && `0x${word.slice(-40)}`;
};

const lower = (data: Data): Data => data.toLowerCase();
const lowerOrNull = (data: Data | null | undefined): Data | null => data?.toLowerCase() ?? null;
const quantity = (value: unknown): Quantity => toQuantity(value, 256) ?? `0x${toBigInt(value).toString(16)}`;
const quantityOrNull = (value: unknown): Quantity | null => (value === null || value === undefined ? null : quantity(value));

/** All addresses that the facts of a block involve: senders of its transactions, and both sides of its transfers. */
export const addressesOf = ({ mined, transfers }: BlockFacts): readonly Data[] => [
  ...new Set([...mined.map(({ from }) => from), ...transfers.flatMap(partiesOf)]),
];

/** The two sides of a transfer. */
export const partiesOf = ({ from, to }: AddressActivity): readonly Data[] =>
  [from, to].filter((address): address is Data => address !== null);

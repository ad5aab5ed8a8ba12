import { id, ZeroHash } from 'ethers';
import type { BlockContents, MinedReceipt, MinedTransaction, TransferLog } from './block-contents.ts';

/** A movement of the native coin or of a token. Addresses are lower case, as anvil returns them. */
export interface Transfer {
  /** `external` for the native coin, `token` for ERC-20, `erc721` for ERC-721. */
  readonly category: 'external' | 'token' | 'erc721';
  readonly from: string;
  readonly to: string;
  /** The token contract; null for the native coin. */
  readonly contract: string | null;
  /** Exact amount in the smallest unit as 0x-hex; for tokens the 32 bytes of the event. */
  readonly rawValue: string;
  /** Token id of an ERC-721 transfer, as 32 bytes. */
  readonly tokenId?: string | undefined;
}

/** An event of ERC-20 and of ERC-721, which differ in whether the third argument is indexed. */
const TRANSFER_TOPIC = id('Transfer(address,address,uint256)');
/** A 32-byte word has 64 digits. */
const WORD = /^0x[0-9a-f]{64}$/;
/** An ERC-721 transfer moves one token, independent of its id. */
const ONE_TOKEN = '0x1';

/** Finds the transfers of a block from or to these addresses, in the order of the chain; the native transfer of a transaction is first. */
export function findTransfers({ transactions, receipts }: BlockContents, addresses: ReadonlySet<string>): Transfer[] {
  const all = transactions.flatMap((transaction, index) => [
    ...nativeTransfers(transaction, receipts[index]!),
    ...receipts[index]!.logs.flatMap(tokenTransfers),
  ]);
  return all.filter(({ from, to }) => addresses.has(from) || addresses.has(to));
}

/** The value of a successful transaction; transfers inside of calls are not included. */
function nativeTransfers({ from, to, value }: MinedTransaction, { status, contractAddress }: MinedReceipt): Transfer[] {
  const recipient = to ?? contractAddress;
  if (BigInt(status) !== 1n || BigInt(value) === 0n || recipient === null) return [];
  return [{ category: 'external', from, to: recipient, contract: null, rawValue: value }];
}

function tokenTransfers({ address, topics, data }: TransferLog): Transfer[] {
  const [topic, from = ZeroHash, to = ZeroHash] = topics;
  if (topic !== TRANSFER_TOPIC) return [];
  const parties = { from: addressOfTopic(from), to: addressOfTopic(to), contract: address };
  if (topics.length === 4 && data === '0x') return [{ category: 'erc721', ...parties, rawValue: ONE_TOKEN, tokenId: topics[3] }];
  return topics.length === 3 && WORD.test(data) ? [{ category: 'token', ...parties, rawValue: data }] : [];
}

const addressOfTopic = (topic: string): string => `0x${topic.slice(-40)}`;

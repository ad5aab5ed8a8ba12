import { concat, decodeRlp, encodeRlp, keccak256, type RlpStructuredData, toBeArray, toBeHex } from 'ethers';

import type { RpcBlock, RpcReceipt, RpcWithdrawal } from '../../../src/ethereum/rpc-types.ts';

/** RLP encodings of JSON-RPC objects, independent of the encodings of the server, so that tests compare both. */

const number = (quantity: string): string => (BigInt(quantity) === 0n ? '0x' : toBeHex(BigInt(quantity)));

const HEADER_FIELDS: readonly (readonly [name: string, encode: (value: string) => string])[] = [
  ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'logsBloom'].map(asData),
  ...['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'].map(asNumber),
  ...['extraData', 'mixHash', 'nonce'].map(asData),
  asNumber('baseFeePerGas'),
  asData('withdrawalsRoot'),
  ...['blobGasUsed', 'excessBlobGas'].map(asNumber),
  ...['parentBeaconBlockRoot', 'requestsHash', 'blockAccessListHash'].map(asData),
  asNumber('slotNumber'),
];

function asData(name: string) {
  return [name, (value: string) => value] as const;
}

function asNumber(name: string) {
  return [name, number] as const;
}

/** Encodes the header of a block. A field that the block does not have is left out. */
export const encodeBlockHeader = (block: object): string =>
  encodeRlp(HEADER_FIELDS.flatMap(([name, encode]) => (Reflect.get(block, name) ? [encode(Reflect.get(block, name))] : [])));

type TypedReceipt = Omit<RpcReceipt, 'blockHash' | 'blockNumber'> &
  Partial<Record<'depositNonce' | 'depositReceiptVersion', string>>;

/** Encodes a receipt with its type byte, if it has one. */
export function encodeTypedReceipt(receipt: TypedReceipt): string {
  const logs = receipt.logs.map(({ address, topics, data }) => [address, [...topics], data]);
  const outcome = receipt.root ?? number(receipt.status!);
  const deposit = receipt.depositReceiptVersion ? [number(receipt.depositNonce!), number(receipt.depositReceiptVersion)] : [];
  const payload = encodeRlp([outcome, number(receipt.cumulativeGasUsed), receipt.logsBloom, logs, ...deposit]);
  const type = Number(receipt.type ?? 0);
  return type === 0 ? payload : concat([toBeArray(type), payload]);
}

/** Encodes a withdrawal. */
export const encodeWithdrawalFields = ({ index, validatorIndex, address, amount }: RpcWithdrawal): string =>
  encodeRlp([number(index), number(validatorIndex), address, number(amount)]);

/** Encodes a block: its header, its encoded transactions, its ommers and its withdrawals. */
export function encodeBlockBody(block: RpcBlock, transactions: readonly string[], ommers: readonly object[] = []): string {
  const listed = transactions.map((raw): RlpStructuredData => (Number(raw.slice(0, 4)) >= 0xc0 ? decodeRlp(raw) : raw));
  const withdrawals = block.withdrawals?.map((one) => decodeRlp(encodeWithdrawalFields(one)));
  return encodeRlp([
    decodeRlp(encodeBlockHeader(block)),
    listed,
    ommers.map((ommer) => decodeRlp(encodeBlockHeader(ommer))),
    ...(withdrawals ? [withdrawals] : []),
  ]);
}

/** Computes the root of the trie of a list, to which headers commit. */
export const trieRoot = (values: readonly string[]): string =>
  keccak256(encodeRlp(trieNode(values.map((value, i) => [digitsOf(encodeRlp(number(String(i)))), value]))));

type TrieEntry = readonly [digits: readonly number[], value: string];

const digitsOf = (key: string): number[] => [...key.slice(2)].map((digit) => Number.parseInt(digit, 16));

const packDigits = (digits: readonly number[], flag: number): string => {
  const hex = digits.map((digit) => digit.toString(16)).join('');
  return digits.length % 2 === 0 ? `0x${flag}0${hex}` : `0x${flag + 1}${hex}`;
};

function trieNode(entries: readonly TrieEntry[]): RlpStructuredData {
  const [first] = entries;
  if (!first) return '0x';
  if (entries.length === 1) return [packDigits(first[0], 2), first[1]];
  const shared = first[0].findIndex((digit, i) => entries.some(([digits]) => digits[i] !== digit));
  if (shared > 0) {
    const rest = entries.map(([digits, value]): TrieEntry => [digits.slice(shared), value]);
    return [packDigits(first[0].slice(0, shared), 0), nodeReference(trieNode(rest))];
  }
  const children = Array.from({ length: 16 }, (_none, digit) =>
    nodeReference(
      trieNode(entries.filter(([digits]) => digits[0] === digit).map(([digits, value]): TrieEntry => [digits.slice(1), value])),
    ),
  );
  return [...children, '0x'];
}

function nodeReference(node: RlpStructuredData): RlpStructuredData {
  if (node === '0x') return node;
  const encoded = encodeRlp(node);
  return encoded.length < 66 ? node : keccak256(encoded);
}

import { RLP } from '@ethereumjs/rlp';
import { keccak256, SigningKey } from 'ethers/crypto';
import { Transaction, type TransactionLike } from 'ethers/transaction';
import { getBytes, hexlify, toBeArray, toQuantity } from 'ethers/utils';
import { BaseWallet } from 'ethers/wallet';
import { addressOf, hashOf, logFixture } from '../upstream/rpc-fixtures.ts';
import { bloomOf } from './logs-bloom.ts';
import { naiveRoot } from './naive-trie.ts';

/** The sender of the transactions. */
export const BUILDER_WALLET = new BaseWallet(new SigningKey(hashOf(0x5eed)));

const COMMON = { chainId: 1, gasLimit: 21_000, to: addressOf(0xb), value: 10n ** 18n, data: '0xcafe' };
const FEES = { maxFeePerGas: 2_500_000_001n, maxPriorityFeePerGas: 1n };
const ACCESS_LIST = [{ address: addressOf(0xc), storageKeys: [hashOf(0), hashOf(1)] }];

/** One transaction of each type, and each form of a legacy one: with and without a chain id, a contract creation. */
const TRANSACTIONS: readonly TransactionLike[] = [
  { ...COMMON, type: 0, gasPrice: 7n },
  { ...COMMON, type: 0, chainId: 0, gasPrice: 1_500_000_000n },
  { ...COMMON, type: 0, to: null, value: 0, gasPrice: 10n ** 9n },
  { ...COMMON, type: 1, gasPrice: 10n ** 9n, accessList: ACCESS_LIST },
  { ...COMMON, type: 2, ...FEES, to: null },
  { ...COMMON, type: 2, ...FEES, accessList: ACCESS_LIST },
  { ...COMMON, type: 3, ...FEES, maxFeePerBlobGas: 3n, blobVersionedHashes: [`0x01${'ab'.repeat(31)}`] },
  { ...COMMON, type: 4, ...FEES },
];

const minimal = (value: bigint | number | string): string => toQuantity(value);

/** A signed transaction as a node returns it. */
function rpcTransaction(signed: Transaction, index: number, blockHash: string): Record<string, unknown> {
  const { signature, type, chainId, accessList, authorizationList } = signed;
  const { r, s, yParity } = signature!;
  const legacyV = chainId > 0n ? 35n + 2n * chainId + BigInt(yParity) : 27n + BigInt(yParity);
  return {
    ...{ hash: signed.hash, blockHash, blockNumber: '0x10', transactionIndex: minimal(index), type: minimal(type!) },
    ...{ from: BUILDER_WALLET.address.toLowerCase(), to: signed.to?.toLowerCase() ?? null, nonce: minimal(signed.nonce) },
    ...{
      gas: minimal(signed.gasLimit),
      value: minimal(signed.value),
      input: signed.data,
      gasPrice: minimal(signed.gasPrice ?? FEES.maxFeePerGas),
    },
    ...{ r: minimal(r), s: minimal(s), v: minimal(type === 0 ? legacyV : yParity) },
    ...(chainId > 0n && { chainId: minimal(chainId) }),
    ...(type! > 0 && { yParity: minimal(yParity), accessList: accessList ?? [] }),
    ...(type! > 1 && {
      maxFeePerGas: minimal(signed.maxFeePerGas!),
      maxPriorityFeePerGas: minimal(signed.maxPriorityFeePerGas!),
    }),
    ...(type === 3 && { maxFeePerBlobGas: minimal(signed.maxFeePerBlobGas!), blobVersionedHashes: signed.blobVersionedHashes }),
    ...(type === 4 && {
      authorizationList: authorizationList!.map(({ address, nonce, chainId: chain, signature: own }) => ({
        ...{ address: address.toLowerCase(), nonce: minimal(nonce), chainId: minimal(chain) },
        ...{ r: minimal(own.r), s: minimal(own.s), yParity: minimal(own.yParity) },
      })),
    }),
  };
}

/** A legacy transaction is an RLP list; a typed one starts with its type. */
const isLegacy = (raw: string): boolean => raw >= '0xc0';

const listOf = (encoded: readonly string[]) => encoded.map((raw) => (isLegacy(raw) ? RLP.decode(getBytes(raw)) : getBytes(raw)));

const HEADER =
  'parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit gasUsed timestamp extraData mixHash nonce baseFeePerGas withdrawalsRoot'.split(
    ' ',
  );
const QUANTITIES = new Set(['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp', 'baseFeePerGas']);

const encodeHeader = (header: object): Uint8Array =>
  RLP.encode(
    HEADER.filter((name) => name in header).map((name) =>
      QUANTITIES.has(name) ? toBeArray(Reflect.get(header, name)) : getBytes(Reflect.get(header, name)),
    ),
  );

const EMPTY_HEADER = {
  ...{ parentHash: hashOf(0xb0f), sha3Uncles: keccak256('0xc0'), miner: addressOf(5), stateRoot: hashOf(3), number: '0x10' },
  ...{ transactionsRoot: naiveRoot([]), receiptsRoot: naiveRoot([]), logsBloom: `0x${'0'.repeat(512)}`, difficulty: '0x0' },
  ...{
    gasLimit: '0x1c9c380',
    gasUsed: '0x5208',
    timestamp: '0x67748600',
    extraData: '0x',
    mixHash: hashOf(6),
    nonce: '0x0000000000000000',
  },
};

/** A block as a node returns it, with its receipts, its ommers, and the encodings to which its hash and its roots commit. */
export interface BuiltBlock {
  readonly block: Record<string, any>;
  readonly receipts: readonly Record<string, any>[];
  readonly ommers: readonly Record<string, any>[];
  readonly rawTransactions: readonly string[];
  readonly rawReceipts: readonly string[];
  readonly rawHeader: string;
  readonly raw: string;
}

/** What a built block contains besides its transactions. */
export interface BuiltBlockOptions {
  readonly ommers?: number;
  readonly withdrawals?: readonly Record<string, string>[];
  /** Encoded transactions of types that only the test knows, with their values. */
  readonly foreign?: readonly { readonly raw: string; readonly values: Record<string, unknown> }[];
  /** Other values of the header. */
  readonly header?: Record<string, string>;
}

/** Builds a block with transactions of all types. Encodes with ethers and @ethereumjs/rlp, which the server does not use for encodings. */
export async function buildBlock({
  ommers: ommerCount = 0,
  withdrawals,
  foreign = [],
  header: otherValues,
}: BuiltBlockOptions = {}): Promise<BuiltBlock> {
  const authorization = await BUILDER_WALLET.authorize({ address: addressOf(0xde), nonce: 7, chainId: 1 });
  const signed = TRANSACTIONS.map((one, i) => {
    const transaction = Transaction.from({ ...one, nonce: i, ...(one.type === 4 && { authorizationList: [authorization] }) });
    transaction.signature = BUILDER_WALLET.signingKey.sign(transaction.unsignedHash);
    return transaction;
  });
  const rawTransactions = [...signed.map(({ serialized }) => serialized), ...foreign.map(({ raw }) => raw)];
  const receiptValues = rawTransactions.map((raw, i) => {
    const logs = Array.from({ length: i % 3 }, (_, j) => ({
      ...logFixture(),
      topics: Array(j * 3).fill(hashOf(i)),
      data: `0x${'ee'.repeat(j * 70)}`,
      logIndex: minimal(Math.floor(i / 3) * 3 + (i % 3 === 2 ? 1 : 0) + j),
    }));
    return {
      ...{
        type: isLegacy(raw) ? '0x0' : minimal(Number(raw.slice(0, 4))),
        status: minimal((i + 1) % 2),
        cumulativeGasUsed: minimal(21_000 * (i + 1)),
      },
      logsBloom: bloomOf(logs),
      logs,
    };
  });
  const rawReceipts = receiptValues.map(({ type, status, cumulativeGasUsed, logsBloom, logs }) => {
    const events = logs.map((log) => [getBytes(log.address), log.topics.map((topic) => getBytes(topic)), getBytes(log.data)]);
    const encoded = hexlify(RLP.encode([toBeArray(status), toBeArray(cumulativeGasUsed), getBytes(logsBloom), events]));
    return type === '0x0' ? encoded : `0x${type.slice(2).padStart(2, '0')}${encoded.slice(2)}`;
  });
  const ommers = Array.from({ length: ommerCount }, (_, i) => {
    const header = { ...EMPTY_HEADER, number: '0xf', extraData: hashOf(i) };
    return { ...header, hash: keccak256(encodeHeader(header)), uncles: [] };
  });
  const encodedWithdrawals = withdrawals?.map(({ index, validatorIndex, address, amount }) =>
    RLP.encode([toBeArray(index!), toBeArray(validatorIndex!), getBytes(address!), toBeArray(amount!)]),
  );
  const rawOmmers = ommers.map((ommer) => hexlify(encodeHeader(ommer)));
  const header = {
    ...EMPTY_HEADER,
    sha3Uncles: keccak256(RLP.encode(listOf(rawOmmers))),
    transactionsRoot: naiveRoot(rawTransactions.map((raw) => getBytes(raw))),
    receiptsRoot: naiveRoot(rawReceipts.map((raw) => getBytes(raw))),
    logsBloom: bloomOf(receiptValues.flatMap(({ logs }) => logs)),
    baseFeePerGas: '0x64',
    ...(encodedWithdrawals && { withdrawalsRoot: naiveRoot(encodedWithdrawals) }),
    ...otherValues,
  };
  const rawHeader = hexlify(encodeHeader(header));
  const hash = keccak256(rawHeader);
  const position = (i: number) => ({ blockHash: hash, blockNumber: '0x10', transactionIndex: minimal(i) });
  const transactions = [
    ...signed.map((one, i) => rpcTransaction(one, i, hash)),
    ...foreign.map(({ raw, values }, i) => ({
      hash: keccak256(raw),
      from: addressOf(0xa),
      ...position(signed.length + i),
      ...values,
    })),
  ];
  const receipts = receiptValues.map((values, i) => {
    const own = { ...position(i), transactionHash: transactions[i]!.hash };
    const logs = values.logs.map((log) => ({ ...log, ...own }));
    return { ...values, ...own, logs, from: addressOf(0xa), to: addressOf(0xb), gasUsed: '0x5208', contractAddress: null };
  });
  const parts = [
    listOf(rawTransactions),
    listOf(rawOmmers),
    ...(encodedWithdrawals ? [encodedWithdrawals.map((one) => RLP.decode(one))] : []),
  ];
  return {
    block: {
      ...header,
      hash,
      transactions,
      uncles: ommers.map((ommer) => ommer.hash),
      size: '0x1',
      ...(withdrawals && { withdrawals }),
    },
    ...{ receipts, ommers, rawTransactions, rawReceipts, rawHeader },
    raw: hexlify(RLP.encode([RLP.decode(getBytes(rawHeader)), ...parts])),
  };
}

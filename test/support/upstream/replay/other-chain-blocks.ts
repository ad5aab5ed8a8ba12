import { concat, encodeRlp, keccak256, toBeHex } from 'ethers';
import type { ReplayedBlock } from './block-builder.ts';
import { chainBlocks } from './fork-blocks.ts';
import { type BuiltTransaction, signedTransaction } from './transaction-builder.ts';

const FROM = `0x${'deaddeaddeaddeaddeaddeaddeaddeaddead0001'}`;
const TO = '0x4200000000000000000000000000000000000015';

/** A transaction of a type that only its chain has. */
function foreignTransaction(
  type: number,
  fields: readonly string[],
  json: { readonly from: string; readonly [name: string]: unknown },
  receipt: BuiltTransaction['receipt'],
): BuiltTransaction {
  const raw = concat([toBeHex(type), encodeRlp([...fields])]);
  return { raw, receipt, json: { type: toBeHex(type), nonce: '0x0', value: '0x0', hash: keccak256(raw), ...json } };
}

const DEPOSIT_SOURCE = keccak256('0x07');

/** A deposit of the OP Stack (type 0x7e), which has no signature and no price. */
const deposit = foreignTransaction(
  0x7e,
  [DEPOSIT_SOURCE, FROM, TO, '0x', '0x', '0x0f4240', '0x', '0x440a5e20'],
  { from: FROM, to: TO, gas: '0xf4240', input: '0x440a5e20', sourceHash: DEPOSIT_SOURCE, mint: '0x0', isSystemTx: false },
  { status: '0x1', gasUsed: 43_000, effectiveGasPrice: '0x0', depositNonce: '0x5', depositReceiptVersion: '0x1' },
);

/** The fee of an L2 transaction on L1, as receipts of the OP Stack have it. */
const L1_FEE = { l1Fee: '0x5f', l1GasPrice: '0x2', l1GasUsed: '0x640', l1FeeScalar: '0.684', l1BaseFeeScalar: '0x8dd' };

/** An internal transaction of Arbitrum (type 0x6a), with a signature of zeros. */
const internal = foreignTransaction(
  0x6a,
  ['0xa4b1', '0x6bf6a42d'],
  {
    from: '0x00000000000000000000000000000000000a4b05',
    to: '0x00000000000000000000000000000000000a4b05',
    gas: '0x0',
    gasPrice: '0x0',
    input: '0x6bf6a42d',
    chainId: '0xa4b1',
    v: '0x0',
    r: '0x0',
    s: '0x0',
  },
  { status: '0x1', gasUsed: 0, effectiveGasPrice: '0x5f5e100', gasUsedForL1: '0x0', l1BlockNumber: '0x1234' },
);

/** The submission of a retryable ticket of Arbitrum (type 0x69), which has no signature. */
const retryable = foreignTransaction(
  0x69,
  ['0xa4b1', keccak256('0x0b')],
  {
    from: FROM,
    to: '0x000000000000000000000000000000000000006e',
    gas: '0x186a0',
    gasPrice: '0x5f5e100',
    input: '0x',
    chainId: '0xa4b1',
    requestId: keccak256('0x0b'),
    l1BaseFee: '0x3b9aca00',
    depositValue: '0x2386f26fc10000',
    retryTo: TO,
    retryValue: '0x1',
    retryData: '0xcafe',
    beneficiary: FROM,
    maxSubmissionFee: '0x5af3107a4000',
    refundTo: FROM,
  },
  { status: '0x1', gasUsed: 0, effectiveGasPrice: '0x5f5e100', gasUsedForL1: '0x0', l1BlockNumber: '0x1234' },
);

const legacy = (nonce: number) =>
  signedTransaction({ type: 0, chainId: 10, gasPrice: 10n ** 9n, nonce, to: TO }, { status: '0x1', gasUsed: 21_000, ...L1_FEE });

/** Removes properties of a block, as nodes of chains without proof of work and ommers do. */
function withoutFields({ block, ...rest }: ReplayedBlock, names: readonly string[]): ReplayedBlock {
  const short = { ...block };
  for (const name of names) Reflect.deleteProperty(short, name);
  return { ...rest, block: short };
}

/** The height of the block without these properties. */
export const SHORT_HEADER_HEIGHT = 3;

const MISSING_FIELDS = ['mixHash', 'nonce', 'difficulty', 'sha3Uncles', 'uncles', 'size'];

/** Blocks of other chains: of the OP Stack, of Arbitrum, and of a chain whose headers have fewer fields. */
export const otherChainBlocks = (): readonly ReplayedBlock[] => {
  const blocks = chainBlocks([
    () => ({}),
    () => ({
      header: { baseFeePerGas: '0x32', difficulty: '0x0', nonce: '0x0000000000000000' },
      transactions: [deposit, legacy(0)],
    }),
    () => ({
      header: { baseFeePerGas: '0x5f5e100', difficulty: '0x1', extraData: keccak256('0x09') },
      transactions: [internal, retryable],
    }),
    () => ({ transactions: [legacy(1)] }),
  ]);
  const arbitrum = { l1BlockNumber: '0x1234', sendCount: '0x2a', sendRoot: keccak256('0x0a') };
  return blocks.map((one, height) => {
    if (height === 2) return { ...one, block: { ...one.block, ...arbitrum } };
    return height === SHORT_HEADER_HEIGHT ? withoutFields(one, MISSING_FIELDS) : one;
  });
};

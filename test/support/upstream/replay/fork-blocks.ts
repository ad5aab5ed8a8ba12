import { getCreateAddress, keccak256, sha256, toQuantity } from 'ethers';
import { type BlockContents, buildBlock, buildOmmer, type ReplayedBlock } from './block-builder.ts';
import { asOldNode, authorize, SENDER, signedTransaction, withoutV } from './transaction-builder.ts';

const RECIPIENT = `0x${'b0'.repeat(20)}`;
const CONTRACT = `0x${'c1'.repeat(20)}`;
const GENESIS_PARENT = `0x${'0'.repeat(64)}`;
const GWEI = 10n ** 9n;

const hashNumber = (n: number): string => keccak256(toQuantity(n + 16));
const log = (n: number) => ({ address: CONTRACT, topics: [hashNumber(1), hashNumber(n)], data: hashNumber(n + 1) });

/** Receipts before Byzantium have the state root after the transaction, and no status. */
const withRoot = (n: number, changes = {}) => ({
  root: hashNumber(n),
  gasUsed: 21_000 + n,
  effectiveGasPrice: '0x4a817c800',
  ...changes,
});
const withStatus = (changes = {}) => ({ status: '0x1', gasUsed: 21_000, effectiveGasPrice: toQuantity(9n * GWEI), ...changes });

const legacy = { type: 0, gasPrice: 20n * GWEI, to: RECIPIENT };
const feeMarket = { chainId: 1, maxFeePerGas: 30n * GWEI, maxPriorityFeePerGas: 2n * GWEI, to: RECIPIENT };
const accessList = [{ address: CONTRACT, storageKeys: [hashNumber(7), hashNumber(8)] }];
const blobHash = (n: number): string => `0x01${sha256(toQuantity(n + 16)).slice(4)}`;

const LONDON = { baseFeePerGas: toQuantity(7n * GWEI) };
const PARIS = { ...LONDON, difficulty: '0x0', nonce: '0x0000000000000000', mixHash: hashNumber(99) };
const CANCUN = { ...PARIS, blobGasUsed: '0x40000', excessBlobGas: '0x20000', parentBeaconBlockRoot: hashNumber(98) };
const PRAGUE = { ...CANCUN, blobGasUsed: '0x0', requestsHash: sha256('0x') };

const withdrawals = [
  { index: '0x0', validatorIndex: '0x64', address: RECIPIENT, amount: '0x77359400' },
  { index: '0x1', validatorIndex: '0xffffff', address: CONTRACT, amount: '0x1' },
];

/** The contents of one block of each fork that changed them, from the genesis block. */
const contents: readonly ((parent: string) => BlockContents)[] = [
  () => ({ header: { stateRoot: keccak256('0x80'), nonce: '0x0000000000000042', mixHash: GENESIS_PARENT, timestamp: '0x0' } }),
  // Frontier: signatures without a chain id, receipts with a root, ommers.
  (parent) => ({
    transactions: [
      signedTransaction({ ...legacy, nonce: 0 }, withRoot(1)),
      signedTransaction(
        { ...legacy, nonce: 1, to: null, data: '0x6001600155' },
        withRoot(2, { contractAddress: getCreateAddress({ from: SENDER.address, nonce: 1 }).toLowerCase() }),
      ),
      signedTransaction({ ...legacy, nonce: 2, to: CONTRACT, data: '0xcafe' }, withRoot(3, { logs: [log(1), log(2)] })),
    ],
    ommers: [1, 2].map((n) =>
      buildOmmer(1, parent, { miner: `0x${`d${n}`.repeat(20)}`, extraData: '0x', gasUsed: toQuantity(n) }),
    ),
  }),
  // Byzantium: status, EIP-155; as a node without typed transactions returns them.
  () => ({
    transactions: [
      signedTransaction(
        { ...legacy, nonce: 3, chainId: 1 },
        withStatus({ type: undefined, effectiveGasPrice: undefined }),
        asOldNode,
      ),
      signedTransaction(
        { ...legacy, nonce: 4, chainId: 1 },
        withStatus({ status: '0x0', type: undefined, effectiveGasPrice: undefined }),
        asOldNode,
      ),
    ],
  }),
  // Berlin.
  () => ({ transactions: [signedTransaction({ ...legacy, type: 1, chainId: 1, nonce: 5, accessList }, withStatus())] }),
  // London.
  () => ({
    header: LONDON,
    transactions: [
      signedTransaction({ ...feeMarket, type: 2, nonce: 6, accessList }, withStatus({ logs: [log(3)] })),
      signedTransaction({ ...legacy, chainId: 1, nonce: 7 }, withStatus({ effectiveGasPrice: toQuantity(20n * GWEI) })),
    ],
  }),
  // Shanghai; as a node that returns the parity of a signature without `v`.
  () => ({
    header: PARIS,
    withdrawals,
    transactions: [signedTransaction({ ...feeMarket, type: 2, nonce: 8 }, withStatus(), withoutV)],
  }),
  // Cancun: blobs.
  () => ({
    header: CANCUN,
    withdrawals: [],
    transactions: [
      signedTransaction(
        { ...feeMarket, type: 3, nonce: 9, maxFeePerBlobGas: 3n * GWEI, blobVersionedHashes: [blobHash(1), blobHash(2)] },
        withStatus({ blobGasUsed: '0x40000', blobGasPrice: '0x1' }),
      ),
    ],
  }),
  // Prague: set-code transactions.
  () => ({
    header: PRAGUE,
    withdrawals: [],
    transactions: [
      signedTransaction(
        { ...feeMarket, type: 4, nonce: 10, authorizationList: [authorize(CONTRACT)] },
        withStatus({ logs: [log(4)] }),
      ),
    ],
  }),
  // Amsterdam.
  () => ({ header: { ...PRAGUE, blockAccessListHash: hashNumber(97), slotNumber: '0xabcdef' }, withdrawals: [] }),
];

/** Builds blocks on each other. */
export function chainBlocks(build: readonly ((parent: string) => BlockContents)[]): readonly ReplayedBlock[] {
  const blocks: ReplayedBlock[] = [];
  for (const contentsAfter of build) {
    const parent = blocks.at(-1)?.block.hash ?? GENESIS_PARENT;
    blocks.push(buildBlock(blocks.length, parent, contentsAfter(parent)));
  }
  return blocks;
}

/** A chain with a block of each fork of Ethereum that changed blocks, transactions or receipts. */
export const forkBlocks = (): readonly ReplayedBlock[] => chainBlocks(contents);

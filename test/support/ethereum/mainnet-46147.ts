const BLOOM = `0x${'0'.repeat(512)}`;
const BLOCK_HASH = '0x4e3a3754410177e6937ef1f84bba68ea139e8d1a2258c5f85db9f1cd715a1bdd';
const TRANSACTION_HASH = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060';
const POSITION = { blockHash: BLOCK_HASH, blockNumber: '0xb443', transactionIndex: '0x0' };
const STATE_ROOT = '0x96a8e009d2b88b1483e6941e6812e32263b05683fac202abc622a3e31aed1957';
const PARTIES = { from: '0xa1e4380a3b1f749673e270229993ee55f35663b4', to: '0x5df9b87991262f6ba471f09758cde1c0fc1de734' };

/** The first transaction of Ethereum mainnet, in block 46147: without a chain id in its signature. */
const transaction = {
  ...{ hash: TRANSACTION_HASH, ...POSITION, ...PARTIES },
  ...{ nonce: '0x0', gas: '0x5208', gasPrice: '0x2d79883d2000', value: '0x7a69', input: '0x', v: '0x1c' },
  r: '0x88ff6cf0fefd94db46111149ae4bfc179e9b94721fffd821d38d16464b3f71d0',
  s: '0x45e0aff800961cfce805daef7016b9b675c137a6a41a548f7b60a3484c06a33a',
};

/** Its receipt, which has a state root instead of a status. */
const receipt = {
  ...{ transactionHash: TRANSACTION_HASH, ...POSITION, ...PARTIES, contractAddress: null },
  ...{ cumulativeGasUsed: '0x5208', gasUsed: '0x5208', logs: [], logsBloom: BLOOM, root: STATE_ROOT },
};

const block = {
  ...{ number: '0xb443', hash: BLOCK_HASH },
  parentHash: '0x5a41d0e66b4120775176c09fcf39e7c0520517a13d2b57b18d33d342df038bfc',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  miner: '0xe6a7a1d47ff21b6321162aea7c6cb457d5476bca',
  stateRoot: '0x0e0df2706b0a4fb8bd08c9246d472abbe850af446405d9eba1db41db18b4a169',
  transactionsRoot: '0x4513310fcb9f6f616972a3b948dc5d547f280849a87ebb5af0191f98b87be598',
  receiptsRoot: '0xfe2bf2a941abf41d72637e5b91750332a30283efd40c424dc522b77e6f0ed8c4',
  ...{ logsBloom: BLOOM, difficulty: '0x153886c1bbd', gasLimit: '0x520b', gasUsed: '0x5208', timestamp: '0x55c42659' },
  extraData: '0x657468706f6f6c2e6f7267',
  mixHash: '0xb48c515a9dde8d346c3337ea520aa995a4738bb595495506125449c1149d6cf4',
  ...{ nonce: '0xba4f8ecd18aab215', transactions: [transaction], uncles: [] },
};

/** Block 46147 of Ethereum mainnet as nodes return it, with the encodings that its hash and its roots commit to. */
export const MAINNET_46147 = {
  block,
  transaction,
  receipt,
  rawTransaction:
    '0xf86780862d79883d2000825208945df9b87991262f6ba471f09758cde1c0fc1de734827a69801ca088ff6cf0fefd94db46111149ae4bfc179e9b94721fffd821d38d16464b3f71d0a045e0aff800961cfce805daef7016b9b675c137a6a41a548f7b60a3484c06a33a',
  rawReceipt: `0xf90128a0${STATE_ROOT.slice(2)}825208b90100${'0'.repeat(512)}c0`,
};

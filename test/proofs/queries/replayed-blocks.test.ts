import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { toQuantity } from 'ethers';
import type { RpcAuthorization, RpcBlock, RpcReceipt, RpcTransaction } from '../../../src/ethereum/rpc-types.ts';
import {
  BLOCK_SELECTION,
  expectedBlock,
  expectedLog,
  expectedReceipt,
  expectedTransaction,
  LOG_SELECTION,
  pick,
  RECEIPT_SELECTION,
  TRANSACTION_SELECTION,
} from '../../support/graph/expected-values.ts';
import { dataOf, field, type Present } from '../../support/graph/results.ts';
import { type StubbedGraph, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';
import { encodeBlockBody, encodeBlockHeader, encodeTypedReceipt } from '../../support/upstream/encodings.ts';
import type { ReplayedBlock } from '../../support/upstream/replay/block-builder.ts';
import { forkBlocks } from '../../support/upstream/replay/fork-blocks.ts';
import { otherChainBlocks, SHORT_HEADER_HEIGHT } from '../../support/upstream/replay/other-chain-blocks.ts';
import { replayedResponses } from '../../support/upstream/replay/replaying-node.ts';
import { AUTHORITY } from '../../support/upstream/replay/transaction-builder.ts';

/** Blocks of each fork and of other chains have the values of the node, field by field, and the encodings of their hashes and roots. */

const OMMER_VALUES =
  'number hash parentHash nonce transactionsRoot stateRoot receiptsRoot extraData gasLimit gasUsed timestamp logsBloom mixHash difficulty'.split(
    ' ',
  );

const OMMER_FIELDS = `${OMMER_VALUES.join(' ')} miner { address } ommerHash ommerHashes transactions { hash } transactionCount transactionAt(index: 0) { hash }`;
const RETRYABLE_VALUES =
  'requestId l1BaseFee depositValue retryTo retryValue retryData beneficiary maxSubmissionFee refundTo ticketId maxRefund submissionFeeRefund';
const DEPOSIT_VALUES = 'sourceHash mint isSystemTx';
const L1_FEE_VALUES =
  'l1Fee l1GasUsed l1GasPrice l1FeeScalar l1BaseFeeScalar l1BlobBaseFee l1BlobBaseFeeScalar operatorFeeScalar operatorFeeConstant depositNonce depositReceiptVersion';
const L1_GAS_VALUES = 'gasUsedForL1 l1BlockNumber';
const L1_MESSAGE_VALUES = 'l1BlockNumber sendCount sendRoot';

const RECEIPT_FIELDS = `${RECEIPT_SELECTION} optimism { ${L1_FEE_VALUES} } arbitrum { ${L1_GAS_VALUES} }`;
const TRANSACTION_FIELDS = `${TRANSACTION_SELECTION} blobGasUsed blobGasPrice receipt { ${RECEIPT_FIELDS} }
  authorizationList { chainID address nonce yParity r s authority { address } }
  optimism { ${DEPOSIT_VALUES} } arbitrum { ${RETRYABLE_VALUES} }`;
const CONTENTS = `arbitrum { ${L1_MESSAGE_VALUES} } transactions { ${TRANSACTION_FIELDS} } receipts { ${RECEIPT_FIELDS} } logs(filter: {}) { ${LOG_SELECTION} }
  ommers { ${OMMER_FIELDS} }`;

/** What the graph returns for values that a node does not have. */
const ZERO_VALUES = {
  mixHash: `0x${'0'.repeat(64)}`,
  nonce: `0x${'0'.repeat(16)}`,
  difficulty: '0x0',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
};

/** A transaction of any type: some types have neither a price nor a signature. */
type PossiblyUnsigned = Omit<Present<RpcTransaction>, 'gasPrice' | 'r' | 's' | 'v'> & Partial<Present<RpcTransaction>>;

/** The value with null in place of each undefined property. */
const withNulls = (value: unknown): any => JSON.parse(JSON.stringify(value, (_name, of) => (of === undefined ? null : of)));

const expectedOmmer = (ommer: RpcBlock) => ({
  ...Object.fromEntries(OMMER_VALUES.map((name) => [name, Reflect.get(ommer, name)])),
  miner: { address: ommer.miner },
  ommerHash: ommer.sha3Uncles,
  ommerHashes: [],
  transactions: null,
  transactionCount: null,
  transactionAt: null,
});

/** The values of a part that only one kind of chain has; null if the object of the node lacks all of them. */
const partOf = (from: object, values: string) => (values.split(' ').some((name) => name in from) ? pick(from, values) : null);

const expectedReceiptOf = (receipt: RpcReceipt) =>
  withNulls({
    ...expectedReceipt(receipt),
    succeeded: receipt.status && receipt.status === '0x1',
    optimism: partOf(receipt, L1_FEE_VALUES),
    arbitrum: partOf(receipt, L1_GAS_VALUES),
  });

const expectedAuthorization = ({ chainId, address, nonce, ...signature }: RpcAuthorization) => ({
  ...pick(signature, 'yParity r s'),
  chainID: chainId,
  address,
  nonce,
  authority: { address: AUTHORITY.address.toLowerCase() },
});

/** The wei per gas above the base fee; null where the price is below it, as for transactions without a price. */
function tipOf(
  { gasPrice = '0x0', maxFeePerGas = gasPrice, maxPriorityFeePerGas = gasPrice }: Partial<Present<RpcTransaction>>,
  baseFee = '0x0',
): string | null {
  const rest = BigInt(maxFeePerGas) - BigInt(baseFee);
  const tip = rest < BigInt(maxPriorityFeePerGas) ? rest : BigInt(maxPriorityFeePerGas);
  return tip < 0n ? null : toQuantity(tip);
}

const expectedTransactionOf = (transaction: PossiblyUnsigned, receipt: RpcReceipt, baseFee: string | undefined) =>
  withNulls({
    ...expectedTransaction(
      { gasPrice: '0x0', r: '0x0', s: '0x0', v: transaction.yParity ?? '0x0', ...transaction },
      { effectiveGasPrice: '0x0', ...receipt },
    ),
    effectiveGasPrice: receipt.effectiveGasPrice,
    effectiveTip: tipOf(transaction, baseFee),
    receipt: expectedReceiptOf(receipt),
    blobGasUsed: receipt.blobGasUsed,
    blobGasPrice: receipt.blobGasPrice,
    authorizationList: transaction.authorizationList?.map(expectedAuthorization),
    optimism: partOf(transaction, DEPOSIT_VALUES),
    arbitrum: partOf(transaction, RETRYABLE_VALUES),
  });

function expectedContents({ block, receipts, ommers }: ReplayedBlock, child: ReplayedBlock | undefined) {
  const { transactions } = block;
  const raw = { ...ZERO_VALUES, ...block, transactions: transactions.map(field('hash')) };
  return withNulls({
    ...expectedBlock(raw, child?.block.baseFeePerGas),
    ommerCount: block.uncles && toQuantity(block.uncles.length),
    ommerHashes: block.uncles,
    ommers: block.uncles && ommers.map(expectedOmmer),
    ommerAt: ommers[0] && { hash: ommers[0].hash },
    arbitrum: partOf(block, L1_MESSAGE_VALUES),
    transactions: transactions.map((one, i) => expectedTransactionOf(one, receipts[i]!, block.baseFeePerGas)),
    receipts: receipts.map(expectedReceiptOf),
    logs: receipts.flatMap(({ logs }) => logs.map(expectedLog)),
  });
}

const CHAINS = [
  ['the forks of Ethereum', forkBlocks(), undefined],
  ['other chains', otherChainBlocks(), SHORT_HEADER_HEIGHT],
] as const;

describe.each(CHAINS)('blocks of %s', (_name, chain, shortHeader) => {
  let graph: StubbedGraph;

  beforeAll(async () => {
    graph = await startStubbedGraph(replayedResponses(chain));
  });

  const execute = (query: string, variables: Record<string, unknown>) => dataOf(graph.execute(query, variables));

  const blocks = chain.map((one, height) => ({ height, one, expected: expectedContents(one, chain[height + 1]) }));

  test.each(blocks)('block $height has the values of the node by number and by hash', async ({ height, one, expected }) => {
    const { byNumber, byHash } = await execute(
      `query ($n: Long, $h: Bytes32) { byNumber: block(number: $n) { ${BLOCK_SELECTION} ${CONTENTS} } byHash: block(hash: $h) { ${BLOCK_SELECTION} ${CONTENTS} } }`,
      { n: height, h: one.block.hash },
    );
    expect(byNumber).toEqual(expected);
    expect(byHash).toEqual(expected);
  });

  const transactions = blocks.flatMap(({ one, expected }) =>
    one.block.transactions.map(({ hash, type }, i) => ({
      name: `type ${type ?? 'none'} in block ${one.block.number}`,
      hash,
      expected: { transaction: expected.transactions[i], receipt: expected.receipts[i] },
    })),
  );

  test.each(transactions)('the transaction of $name has the values of the node by its hash', async ({ hash, expected }) => {
    const query = `query ($h: Bytes32!) { transaction(hash: $h) { ${TRANSACTION_FIELDS} } receipt(hash: $h) { ${RECEIPT_FIELDS} } }`;
    expect(await execute(query, { h: hash })).toEqual(expected);
  });

  const ommers = blocks.flatMap(({ height, one }) => one.ommers.map((ommer, i) => ({ height, i, ommer })));

  if (ommers.length > 0) {
    test.each(ommers)('ommer $i of block $height has the values of the node by its index', async ({ height, i, ommer }) => {
      const query = `query ($n: Long, $i: Long!) { block(number: $n) { ommerAt(index: $i) { ${OMMER_FIELDS} } } }`;
      expect((await execute(query, { n: height, i })).block.ommerAt).toEqual(expectedOmmer(ommer));
    });
  }

  test('logs of all blocks equal the logs of the node', async () => {
    const { logs } = await execute(`{ logs(filter: { fromBlock: 0 }) { ${LOG_SELECTION} } }`, {});
    expect(logs).toEqual(chain.flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.logs.map(expectedLog))));
  });

  const heights = [...chain.keys()];

  test.each(heights)('the transactions and receipts of block %i have the encodings that its roots commit to', async (height) => {
    const data = await execute('query ($n: Long) { block(number: $n) { transactions { raw rawReceipt } } }', { n: height });
    const { raw, receipts } = chain[height]!;
    expect(data.block.transactions).toEqual(
      raw.map((encoded, i) => ({ raw: encoded, rawReceipt: encodeTypedReceipt(receipts[i]!) })),
    );
  });

  test.each(heights.filter((height) => height !== shortHeader))(
    'block %i and its header have the encodings of its hash',
    async (height) => {
      const data = await dataOf(graph.execute('query ($n: Long) { block(number: $n) { raw rawHeader } }', { n: height }));
      const { block, raw, ommers } = chain[height]!;
      expect(data.block).toEqual({ raw: encodeBlockBody(block, raw, ommers), rawHeader: encodeBlockHeader(block) });
    },
  );

  if (shortHeader !== undefined) {
    test('a header that is hashed in another way has no encoding', async () => {
      const query = 'query ($n: Long) { block(number: $n) { rawHeader } }';
      const { data, errors } = await graph.execute(query, { n: shortHeader });
      expect(data.block).toBeNull();
      expect(errors).toMatchObject([{ path: ['block', 'rawHeader'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
    });
  }
});

test('block 1 of Ethereum has its public values', async () => {
  const block = JSON.parse(readFileSync(new URL('../../support/upstream/replay/mainnet-block-1.json', import.meta.url), 'utf8'));
  const one = { block, receipts: [], ommers: [], raw: [] };
  const parent = { ...one, block: { ...block, number: '0x0', hash: block.parentHash, parentHash: `0x${'0'.repeat(64)}` } };
  const graph = await startStubbedGraph(replayedResponses([parent, one]));
  const data = await dataOf(graph.execute(`{ block(number: 1) { ${BLOCK_SELECTION} ${CONTENTS} } }`));
  expect(data.block).toEqual(expectedContents(one, undefined));
});

import { keccak256 } from 'ethers';
import { equalRows, type SeedRow } from './rows.ts';

const HEAD = 'newHeads(after: $afterHead)';

/** The first event of each subscription after the known head or log: of the block that was mined since. */
export const eventRows: readonly SeedRow[] = [
  ['Subscription.newHeads', [HEAD, 'hash'], ({ newBlock }) => newBlock.hash],
  ...equalRows(
    'BlockHeader',
    [HEAD],
    ({ newBlock }) => newBlock,
    'difficulty extraData gasLimit gasUsed logsBloom nonce number parentHash receiptsRoot stateRoot timestamp transactionsRoot',
    { ommerHash: 'sha3Uncles' },
  ),
  ['BlockHeader.miner', [HEAD, 'miner', 'address'], ({ newBlock }) => newBlock.miner],
  ['Subscription.logs', ['logs(after: $afterLog)', 'topics'], ({ newLogs }) => newLogs[0].topics],
  [
    'LogSubscriptionFilter.addresses',
    ['logs(after: $afterLog, filter: $ofToken)', 'data'],
    ({ newLogs }) => newLogs.find(({ address }) => address === newLogs[1].address).data,
  ],
  [
    'LogSubscriptionFilter.topics',
    ['logs(after: $afterLog, filter: $ofSender)', 'data'],
    ({ newLogs, variables }) =>
      newLogs.find(({ topics }) => topics[1] === (variables.ofSender as { topics: string[][] }).topics[1]![0]).data,
  ],
  [
    'TransactionStatusUpdate.status',
    ['transactionStatus(hash: $transaction)', 'status'],
    ({ receipt }) => (receipt ? 'CONFIRMED' : 'PENDING'),
  ],
];

/** Submissions. Both use one account, in this order. */
export const mutationRows: readonly SeedRow[] = [
  ['Mutation.sendRawTransaction', ['sendRawTransaction(data: $raw)'], ({ variables }) => keccak256(variables.raw as string)],
  [
    'Mutation.submitTransaction',
    ['submitTransaction(input: $submission)', 'hash'],
    ({ variables }) => keccak256((variables.submission as { data: string }).data),
  ],
];

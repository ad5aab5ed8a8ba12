import type { MutationSubmitTransactionArgs, SubmitTransactionPayloadResolvers } from '../../../generated/chain.ts';
import { GraphError } from '../../../lib/errors.ts';
import { needsTransaction, selectsOnlyHash, transactionPlanByReceipt } from '../block/plan.ts';
import type { ChainContext } from '../context.ts';
import type { SubmittedTransaction } from '../model.ts';

/** Resolver of `Mutation.submitTransaction`. */
export async function resolveSubmission(
  _mutation: unknown,
  { input: { data, waitMs } }: MutationSubmitTransactionArgs,
  { chain }: ChainContext,
): Promise<SubmittedTransaction> {
  // Before the submission, which cannot be undone.
  if (waitMs && waitMs < 0)
    throw new GraphError('BAD_USER_INPUT', 'Invalid `waitMs`. Pass a number of milliseconds, 0 or greater.');
  const submitted = await chain.submit(data);
  return waitMs ? { ...submitted, mined: await chain.waitUntilMined(submitted.hash, waitMs) } : submitted;
}

export const chainSubmissionResolvers: SubmitTransactionPayloadResolvers = {
  transaction: ({ hash, mined }, _args, { chain }, info) =>
    mined ?? (selectsOnlyHash(info) ? { hash } : chain.transactions.findTransaction(hash, transactionPlanByReceipt(info))),
  receipt: ({ hash, mined }, _args, { chain }, info) =>
    mined?.blockHash ? chain.transactions.findReceipt(hash, needsTransaction(info), mined.blockHash) : null,
};

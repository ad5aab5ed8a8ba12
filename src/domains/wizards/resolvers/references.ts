import type { AccountResolvers, BlockResolvers } from '../../../generated/wizards.ts';
import { duelPage, wizardPage } from '../pages.ts';

/** What the tournament adds to an account, which comes from another domain by its key. */
export const wizardsAccountResolvers: AccountResolvers = {
  wizards: async ({ address }, { filter, ...page }, { wizards }) =>
    wizardPage(await wizards.wizardsOf(address, filter ?? {}), page),
};

/** What it adds to a block. */
export const wizardsBlockResolvers: BlockResolvers = {
  duelsStarted: async ({ number }, page, { wizards }) => duelPage(await wizards.duelsAt('start', number), page),
  duelsEnded: async ({ number }, page, { wizards }) => duelPage(await wizards.duelsAt('end', number), page),
};

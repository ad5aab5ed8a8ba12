import type { AccountResolvers, BlockResolvers } from '../../../generated/wizards.ts';
import { duelPage, wizardPage } from '../pages.ts';

/** Fields that this domain adds to `Account`. */
export const wizardsAccountResolvers: AccountResolvers = {
  wizards: ({ address }, { filter, duels, ...page }, { wizards }) =>
    wizardPage(wizards.wizardsOf(address, filter ?? {}), page, () => wizards.winCounts(duels ?? {})),
};

/** Fields that this domain adds to `Block`. */
export const wizardsBlockResolvers: BlockResolvers = {
  duelsStarted: async ({ number }, page, { wizards }) => duelPage(await wizards.duelsAt('start', number), page),
  duelsEnded: async ({ number }, page, { wizards }) => duelPage(await wizards.duelsAt('end', number), page),
};

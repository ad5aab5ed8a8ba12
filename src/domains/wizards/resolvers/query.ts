import type { QueryResolvers } from '../../../generated/wizards.ts';
import { duelPage, wizardPage } from '../pages.ts';

export const wizardsQueryResolvers: QueryResolvers = {
  wizard: (_query, { id }, { wizards }) => wizards.wizard(id),
  wizards: (_query, { filter, duels, ...page }, { wizards }) =>
    wizardPage(wizards.wizards(filter ?? {}), page, () => wizards.winCounts(duels ?? {})),
  duel: (_query, { id }, { wizards }) => wizards.duel(id),
  duels: async (_query, { filter, ...page }, { wizards }) => duelPage(await wizards.duels(filter ?? {}), page),
};

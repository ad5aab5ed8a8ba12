import type { WizardResolvers } from '../../../generated/wizards.ts';
import { duelPage } from '../pages.ts';
import { powerChangeOf } from '../rounds.ts';
import { blockKeyOf, wizardLink } from './links.ts';

export const wizardsWizardResolvers: WizardResolvers = {
  // A router sends references from earlier responses, so an id alone is not checked against the service.
  __resolveReference: ({ id }, context, info) => wizardLink(id, context, info),
  owner: ({ ownerAddress }) => ({ address: ownerAddress, _at: null }),
  createdBlock: ({ createdBlockNumber }) => blockKeyOf(createdBlockNumber),
  eliminatedBlock: ({ eliminatedBlockNumber }) => blockKeyOf(eliminatedBlockNumber),
  status: ({ eliminatedBlockNumber }) => (eliminatedBlockNumber === null ? 'ALIVE' : 'ELIMINATED'),
  powerChange: ({ initialPower, power }) => String(powerChangeOf(initialPower, power)),
  duels: async ({ id }, { filter, ...page }, { wizards }) => duelPage(await wizards.duelsOf(id, filter ?? {}), page),
  activeDuel: ({ id }, _args, { wizards }) => wizards.activeDuel(id),
  record: ({ id }, { filter }, { wizards }) => wizards.record(id, filter ?? {}),
};

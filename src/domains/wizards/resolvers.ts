import type { GraphQLResolveInfo } from 'graphql';
import type { Quantity } from '../../ethereum/hex.ts';
import type { Resolvers } from '../../generated/wizards.ts';
import { memoizePerSelection, selectionOf } from '../../graphql/selection.ts';
import type { StreamingResolvers } from '../../graphql/stream.ts';
import type { WizardLoaders } from './loaders/index.ts';
import type { BlockKey, Duel, Wizard } from './model.ts';
import { duelPage, wizardPage } from './pages.ts';
import { powerChangeOf, roundsOf, winnerIdOf } from './rounds.ts';

/** The part of an operation's context that wizard resolvers use. */
export interface WizardsContext {
  readonly wizards: WizardLoaders;
}

/** Fields that are resolved from the id alone, without a GET of the wizard. */
const WIZARD_ID_FIELDS: ReadonlySet<string> = new Set(['id', 'duels', 'activeDuel', 'record']);
/** Fields that are resolved from the id alone, without a GET of the duel. */
const DUEL_ID_FIELDS: ReadonlySet<string> = new Set(['id']);

/** Whether every selected field of a wizard can be resolved from its id. */
const isWizardIdSufficient = memoizePerSelection((info) => selectionOf(info).hasOnly(WIZARD_ID_FIELDS));
/** Whether every selected field of a duel can be resolved from its id. */
const isDuelIdSufficient = memoizePerSelection((info) => selectionOf(info).hasOnly(DUEL_ID_FIELDS));

/**
 * Resolves a wizard by id; without a request, to an object with only the id, if the selection needs only the id. Null
 * for a null or undefined id.
 */
const wizardLink = (id: string | null | undefined, { wizards }: WizardsContext, info: GraphQLResolveInfo) => {
  if (id === null || id === undefined) return null;
  return isWizardIdSufficient(info) ? ({ id } as Wizard) : wizards.wizard(id);
};

/** Resolves a duel by id; without a request, to an object with only the id, if the selection needs only the id. */
const duelLink = (id: string, { wizards }: WizardsContext, info: GraphQLResolveInfo): Duel | Promise<Duel | null> =>
  isDuelIdSufficient(info) ? ({ id } as Duel) : wizards.duel(id);

/** The key of the block at a height; null for a null height. */
const blockKeyOf = (number: Quantity | null): BlockKey | null => (number === null ? null : { number });

/** The key of the block at a height; null for a null height and for a height above the operation's head. */
const reachedBlockKey = async (number: Quantity | null, { wizards }: WizardsContext): Promise<BlockKey | null> =>
  number !== null && (await wizards.isReached(number)) ? { number } : null;

/** Resolvers of this domain. A field without a resolver is the property with its name on the types of model.ts. */
export const wizardsResolvers: StreamingResolvers<Resolvers> = {
  Query: {
    wizard: (_query, { id }, { wizards }) => wizards.wizard(id),
    wizards: (_query, { filter, duels, ...page }, { wizards }) =>
      wizardPage(wizards.wizards(filter ?? {}), page, () => wizards.winCounts(duels ?? {})),
    duel: (_query, { id }, { wizards }) => wizards.duel(id),
    duels: async (_query, { filter, ...page }, { wizards }) => duelPage(await wizards.duels(filter ?? {}), page),
  },

  // The root of an event has the value under the name of the field.
  Subscription: {
    wizardUpdates: { subscribe: (_root, { ids }, { wizards }) => wizards.streams.wizardUpdates(ids) },
    duelUpdates: { subscribe: (_root, { filter }, { wizards }) => wizards.streams.duelUpdates(filter ?? {}) },
  },

  Account: {
    wizards: ({ address }, { filter, duels, ...page }, { wizards }) =>
      wizardPage(wizards.wizardsOf(address, filter ?? {}), page, () => wizards.winCounts(duels ?? {})),
  },

  Block: {
    duelsStarted: async ({ number }, page, { wizards }) => duelPage(await wizards.duelsAt('start', number), page),
    duelsEnded: async ({ number }, page, { wizards }) => duelPage(await wizards.duelsAt('end', number), page),
  },

  Wizard: {
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
  },

  Duel: {
    __resolveReference: ({ id }, context, info) => duelLink(id, context, info),
    wizard1: ({ wizard1Id }, _args, context, info) => wizardLink(wizard1Id, context, info),
    wizard2: ({ wizard2Id }, _args, context, info) => wizardLink(wizard2Id, context, info),
    startBlock: ({ startBlockNumber }) => blockKeyOf(startBlockNumber),
    endBlock: ({ endBlockNumber }) => blockKeyOf(endBlockNumber),
    timeoutBlock: ({ timeoutBlockNumber }, _args, context) => reachedBlockKey(timeoutBlockNumber, context),
    status: ({ endBlockNumber }) => (endBlockNumber === null ? 'IN_PROGRESS' : 'FINISHED'),
    winner: (duel, _args, context, info) => wizardLink(winnerIdOf(duel), context, info),
    powerChange1: ({ startPower1, endPower1 }) => powerChangeOf(startPower1, endPower1)?.toString() ?? null,
    powerChange2: ({ startPower2, endPower2 }) => powerChangeOf(startPower2, endPower2)?.toString() ?? null,
    rounds: (duel) => roundsOf(duel),
  },

  DuelRound: { winner: ({ winnerId }, _args, context, info) => wizardLink(winnerId, context, info) },
};

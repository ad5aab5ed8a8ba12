import type { GraphQLResolveInfo } from 'graphql';
import type { Quantity } from '../../../ethereum/hex.ts';
import type { WizardsContext } from '../context.ts';
import { type BlockKey, type Duel, partialDuel, partialWizard, type Wizard } from '../model.ts';
import { isDuelIdSufficient, isWizardIdSufficient } from '../plan.ts';

/** A wizard that something names, with what is selected of it; null where nothing is named. */
export const wizardLink = (
  id: string | null | undefined,
  { wizards }: WizardsContext,
  info: GraphQLResolveInfo,
): Wizard | null | Promise<Wizard | null> => {
  if (id === null || id === undefined) return null;
  return isWizardIdSufficient(info) ? partialWizard(id) : wizards.wizard(id);
};

/** The same for a duel. */
export const duelLink = (id: string, { wizards }: WizardsContext, info: GraphQLResolveInfo): Duel | Promise<Duel | null> =>
  isDuelIdSufficient(info) ? partialDuel(id) : wizards.duel(id);

/** The block of a height, by its key; null where there is no height. */
export const blockKeyOf = (number: Quantity | null): BlockKey | null => (number === null ? null : { number });

/** The block of a height that may be still to come: null until the operation's head has reached it. */
export const reachedBlockKey = async (number: Quantity | null, { wizards }: WizardsContext): Promise<BlockKey | null> =>
  number !== null && (await wizards.isReached(number)) ? { number } : null;

import type { GraphQLResolveInfo } from 'graphql';
import type { Quantity } from '../../../ethereum/hex.ts';
import type { WizardsContext } from '../context.ts';
import { type BlockKey, type Duel, partialDuel, partialWizard, type Wizard } from '../model.ts';
import { isDuelIdSufficient, isWizardIdSufficient } from '../plan.ts';

/** Resolves a wizard by id; without a request if the selection needs only the id. Null for a null or undefined id. */
export const wizardLink = (
  id: string | null | undefined,
  { wizards }: WizardsContext,
  info: GraphQLResolveInfo,
): Wizard | null | Promise<Wizard | null> => {
  if (id === null || id === undefined) return null;
  return isWizardIdSufficient(info) ? partialWizard(id) : wizards.wizard(id);
};

/** Resolves a duel by id; without a request if the selection needs only the id. */
export const duelLink = (id: string, { wizards }: WizardsContext, info: GraphQLResolveInfo): Duel | Promise<Duel | null> =>
  isDuelIdSufficient(info) ? partialDuel(id) : wizards.duel(id);

/** The key of the block at a height; null for a null height. */
export const blockKeyOf = (number: Quantity | null): BlockKey | null => (number === null ? null : { number });

/** The key of the block at a height; null for a null height and for a height above the operation's head. */
export const reachedBlockKey = async (number: Quantity | null, { wizards }: WizardsContext): Promise<BlockKey | null> =>
  number !== null && (await wizards.isReached(number)) ? { number } : null;

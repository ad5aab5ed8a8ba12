import type { Resolvers } from '../../../generated/wizards.ts';
import { Account, Block } from './borders.ts';
import { Duel, DuelRound } from './duel.ts';
import { Query } from './query.ts';
import { Wizard } from './wizard.ts';

/** Fields that are not here are properties of the objects of model.ts under the same name. */
export const resolvers: Resolvers = { Account, Block, Duel, DuelRound, Query, Wizard };

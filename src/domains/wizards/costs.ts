import { type FieldWeight, type FieldWeights, FREE_FIELD, firstPageSize } from '../../graphql/cost/field-cost.ts';

const callWeight: FieldWeight = { calls: 1 };
/** Objects of a page share one batched call; each object is charged a share of it. */
const batchedWeight: FieldWeight = { fixedCalls: 0.1 };
/** A block that is read by its height. */
const blockWeight: FieldWeight = { calls: 1, returns: 'blocks' };

/** A page of a list that is read with one call. */
const pageWeight: FieldWeight = { fixedCalls: 1, size: firstPageSize, sizedFields: ['nodes', 'edges'] };

/** The service returns whole lists, independent of the page size. Reading a list is as much work as a log search. */
const LIST_COST = 20;
const listWeight: FieldWeight = { ...pageWeight, fixedCalls: LIST_COST };

/** The order by won duels reads the list of duels, too. */
const wonOrder: FieldWeight = { argumentCalls: { argument: 'orderBy', calls: LIST_COST, value: 'WON_DESC' } };

/** Cost weights of the fields of this domain. */
export const wizardsWeights: FieldWeights = {
  'Query.wizard': callWeight,
  'Query.duel': callWeight,
  'Query.wizards': { ...listWeight, ...wonOrder },
  'Query.duels': listWeight,
  '_Entity.Wizard': batchedWeight,
  '_Entity.Duel': batchedWeight,
  // The cost of one event; all subscribers share the read of the list.
  'Subscription.wizardUpdates': batchedWeight,
  'Subscription.duelUpdates': batchedWeight,
  'Account.wizards': { ...pageWeight, ...wonOrder },
  'Block.duelsStarted': pageWeight,
  'Block.duelsEnded': pageWeight,
  // Returns only the key of the account; the fields of Account are charged themselves.
  'Wizard.owner': FREE_FIELD,
  'Wizard.duels': { ...pageWeight, ...batchedWeight },
  'Wizard.activeDuel': batchedWeight,
  'Wizard.record': batchedWeight,
  'Wizard.createdBlock': blockWeight,
  'Wizard.eliminatedBlock': blockWeight,
  'Duel.startBlock': blockWeight,
  'Duel.endBlock': blockWeight,
  'Duel.timeoutBlock': blockWeight,
  'Duel.wizard1': batchedWeight,
  'Duel.wizard2': batchedWeight,
  'Duel.winner': batchedWeight,
  'Duel.rounds': { size: 5 },
  'DuelRound.winner': batchedWeight,
};

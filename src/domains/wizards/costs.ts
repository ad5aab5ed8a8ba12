import { type FieldWeight, type FieldWeights, FREE_FIELD, firstPageSize, weightsOf } from '../../graphql/cost/field-cost.ts';

/** Objects of a page share one batched call; each object is charged a share of it. */
const batchedWeight: FieldWeight = { fixedCalls: 0.1 };
/** A block that is read by its height. */
const blockWeight: FieldWeight = { calls: 1, returns: 'containers' };

/** A page of a list that is read with one call. */
const pageWeight: FieldWeight = { fixedCalls: 1, size: firstPageSize, sizedFields: ['nodes', 'edges'] };

/** The service returns whole lists, independent of the page size. Reading a list is as much work as a log search. */
const LIST_COST = 20;
const listWeight: FieldWeight = { ...pageWeight, fixedCalls: LIST_COST };

/** The order by won duels reads the list of duels, too. */
const wonOrder: FieldWeight = { argument: { name: 'orderBy', calls: LIST_COST, value: 'WON_DESC' } };

/** Cost weights of the fields of this domain. */
export const wizardsWeights: FieldWeights = {
  ...weightsOf({ calls: 1 }, 'Query.wizard', 'Query.duel'),
  'Query.wizards': { ...listWeight, ...wonOrder },
  'Query.duels': listWeight,
  '_Entity.Wizard': batchedWeight,
  // Each duel is one GET: no list has duels by their ids.
  '_Entity.Duel': { calls: 1, knownFields: new Set(['id', '__typename']) },
  // The cost of one event; all subscribers share the read of the list.
  ...weightsOf(batchedWeight, 'Subscription.wizardUpdates', 'Subscription.duelUpdates'),
  'Account.wizards': { ...pageWeight, ...wonOrder },
  ...weightsOf(pageWeight, 'Block.duelsStarted', 'Block.duelsEnded'),
  // Returns only the key of the account; the fields of Account are charged themselves.
  'Wizard.owner': FREE_FIELD,
  'Wizard.duels': { ...pageWeight, ...batchedWeight },
  ...weightsOf(batchedWeight, 'Wizard.activeDuel', 'Wizard.record'),
  ...weightsOf(blockWeight, 'Wizard.createdBlock', 'Wizard.eliminatedBlock'),
  ...weightsOf(blockWeight, 'Duel.startBlock', 'Duel.endBlock', 'Duel.timeoutBlock'),
  ...weightsOf(batchedWeight, 'Duel.wizard1', 'Duel.wizard2', 'Duel.winner', 'DuelRound.winner'),
  'Duel.rounds': { size: 5 },
};

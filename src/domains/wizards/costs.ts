import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../graphql/connections.ts';
import { type ArgumentReader, type FieldWeight, type FieldWeights, FREE_FIELD } from '../../graphql/pipeline/cost/field-cost.ts';

const callWeight: FieldWeight = { calls: 1 };
/** Objects of a page share one batched call; each object is charged a share of it. */
const batchedWeight: FieldWeight = { fixedCalls: 0.1 };
/** The connection is already charged for the entries of its page. */
const pageEntries: FieldWeight = { size: () => 1 };

const pageSize = (args: ArgumentReader): number => {
  const first = Number(args('first') ?? DEFAULT_PAGE_SIZE);
  return Number.isNaN(first) ? DEFAULT_PAGE_SIZE : Math.min(MAX_PAGE_SIZE, Math.max(0, first));
};

/** The service returns whole lists, whatever the page size: as much work as a log search. */
const listWeight: FieldWeight = { fixedCalls: 20, size: pageSize };

/** Cost weights of the fields of this domain. */
export const wizardsWeights: FieldWeights = {
  'Query.wizard': callWeight,
  'Query.duel': callWeight,
  'Query.wizards': listWeight,
  'Query.duels': listWeight,
  '_Entity.Wizard': batchedWeight,
  '_Entity.Duel': batchedWeight,
  // The cost of one event; all subscribers share the read of the list.
  'Subscription.wizardUpdates': batchedWeight,
  'Subscription.duelUpdates': batchedWeight,
  'Account.wizards': { fixedCalls: 1, size: pageSize },
  'Block.duelsStarted': { fixedCalls: 1, size: pageSize },
  'Block.duelsEnded': { fixedCalls: 1, size: pageSize },
  // Returns only the key of the account; the fields of Account are charged themselves.
  'Wizard.owner': FREE_FIELD,
  'Wizard.duels': { ...batchedWeight, size: pageSize },
  'Wizard.activeDuel': batchedWeight,
  'Wizard.record': batchedWeight,
  'Wizard.createdBlock': callWeight,
  'Wizard.eliminatedBlock': callWeight,
  'Duel.startBlock': callWeight,
  'Duel.endBlock': callWeight,
  'Duel.timeoutBlock': callWeight,
  'Duel.wizard1': batchedWeight,
  'Duel.wizard2': batchedWeight,
  'Duel.winner': batchedWeight,
  'Duel.rounds': { size: 5 },
  'DuelRound.winner': batchedWeight,
  'WizardConnection.nodes': pageEntries,
  'WizardConnection.edges': pageEntries,
  'DuelConnection.nodes': pageEntries,
  'DuelConnection.edges': pageEntries,
};

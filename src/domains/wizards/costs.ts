import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../graphql/connections.ts';
import { type ArgumentReader, type FieldWeight, type FieldWeights, FREE_FIELD } from '../../graphql/pipeline/cost/field-cost.ts';

const call: FieldWeight = { calls: 1 };
/** What is read for all objects of a page together, with a share of it for each. */
const batchedWeight: FieldWeight = { fixedCalls: 0.1 };
/** Entries of a page are what its connection was counted for. */
const entries: FieldWeight = { size: () => 1 };

const pageSize = (args: ArgumentReader): number => {
  const first = Number(args('first') ?? DEFAULT_PAGE_SIZE);
  return Number.isNaN(first) ? DEFAULT_PAGE_SIZE : Math.min(MAX_PAGE_SIZE, Math.max(0, first));
};

/** A list of the service is read whole, whatever page of it is shown: as much work as a search for logs. */
const list: FieldWeight = { fixedCalls: 20, size: pageSize };

/** What the fields of the tournament cost. */
export const wizardsWeights: FieldWeights = {
  'Query.wizard': call,
  'Query.duel': call,
  'Query.wizards': list,
  'Query.duels': list,
  // Of a subscription, what each event costs; the list that it comes from is read once for all.
  'Subscription.wizardUpdates': batchedWeight,
  'Subscription.duelUpdates': batchedWeight,
  'Account.wizards': { fixedCalls: 1, size: pageSize },
  'Block.duelsStarted': { fixedCalls: 1, size: pageSize },
  'Block.duelsEnded': { fixedCalls: 1, size: pageSize },
  // An account by its address: its own fields are what costs.
  'Wizard.owner': FREE_FIELD,
  'Wizard.duels': { ...batchedWeight, size: pageSize },
  'Wizard.activeDuel': batchedWeight,
  'Wizard.record': batchedWeight,
  'Wizard.createdBlock': call,
  'Wizard.eliminatedBlock': call,
  'Duel.startBlock': call,
  'Duel.endBlock': call,
  'Duel.timeoutBlock': call,
  'Duel.wizard1': batchedWeight,
  'Duel.wizard2': batchedWeight,
  'Duel.winner': batchedWeight,
  'Duel.rounds': { size: 5 },
  'DuelRound.winner': batchedWeight,
  'WizardConnection.nodes': entries,
  'WizardConnection.edges': entries,
  'DuelConnection.nodes': entries,
  'DuelConnection.edges': entries,
};

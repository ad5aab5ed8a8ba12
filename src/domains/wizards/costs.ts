import { DEFAULT_PAGE, MOST_PAGE } from '../../graphql/connections.ts';
import { type Args, free, type Weight, type Weights } from '../../graphql/pipeline/cost/field-cost.ts';

const call: Weight = { calls: 1 };
/** What is read for all objects of a page together, with a share of it for each. */
const share: Weight = { search: 0.1 };
/** Entries of a page are what its connection was counted for. */
const entries: Weight = { size: () => 1 };

const pageSize = (args: Args): number => {
  const first = Number(args('first') ?? DEFAULT_PAGE);
  return Number.isNaN(first) ? DEFAULT_PAGE : Math.min(MOST_PAGE, Math.max(0, first));
};

/** A list of the service is read whole, whatever page of it is shown: as much work as a search for logs. */
const list: Weight = { search: 20, size: pageSize };

/** What the fields of the tournament cost. */
export const weights: Weights = {
  'Query.wizard': call,
  'Query.duel': call,
  'Query.wizards': list,
  'Query.duels': list,
  // Of a subscription, what each event costs; the list that it comes from is read once for all.
  'Subscription.wizardUpdates': share,
  'Subscription.duelUpdates': share,
  'Account.wizards': { search: 1, size: pageSize },
  'Block.duelsStarted': { search: 1, size: pageSize },
  'Block.duelsEnded': { search: 1, size: pageSize },
  // An account by its address: its own fields are what costs.
  'Wizard.owner': free,
  'Wizard.duels': { ...share, size: pageSize },
  'Wizard.activeDuel': share,
  'Wizard.record': share,
  'Wizard.createdBlock': call,
  'Wizard.eliminatedBlock': call,
  'Duel.startBlock': call,
  'Duel.endBlock': call,
  'Duel.timeoutBlock': call,
  'Duel.wizard1': share,
  'Duel.wizard2': share,
  'Duel.winner': share,
  'Duel.rounds': { size: 5 },
  'DuelRound.winner': share,
  'WizardConnection.nodes': entries,
  'WizardConnection.edges': entries,
  'DuelConnection.nodes': entries,
  'DuelConnection.edges': entries,
};

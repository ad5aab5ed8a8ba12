import type { SubscriptionDuelUpdatesArgs, SubscriptionWizardUpdatesArgs } from '../../../generated/wizards.ts';
import type { SourceStream } from '../../../graphql/stream.ts';
import type { WizardsContext } from '../context.ts';

/** Creates the resolver of a `Subscription` field from a function that opens its stream. The root of an event has its value by the field's name. */
const subscriptionField = <Args>(streamOf: (args: Args, context: WizardsContext) => SourceStream) => ({
  subscribe: (_root: unknown, args: Args, context: WizardsContext) => streamOf(args, context),
});

export const wizardsSubscriptionResolvers = {
  wizardUpdates: subscriptionField(({ ids }: SubscriptionWizardUpdatesArgs, { wizards }) => wizards.streams.wizardUpdates(ids)),
  duelUpdates: subscriptionField(({ filter }: SubscriptionDuelUpdatesArgs, { wizards }) =>
    wizards.streams.duelUpdates(filter ?? {}),
  ),
};

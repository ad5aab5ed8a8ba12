import type { SubscriptionDuelUpdatesArgs, SubscriptionWizardUpdatesArgs } from '../../../generated/wizards.ts';
import type { SourceStream } from '../../../graphql/stream.ts';
import type { WizardsContext } from '../context.ts';

/** A field of `Subscription`, given the stream of its events. Its value is the property of the same name on the event's root. */
const subscriptionField = <Args>(streamOf: (args: Args, context: WizardsContext) => SourceStream) => ({
  subscribe: (_root: unknown, args: Args, context: WizardsContext) => streamOf(args, context),
});

export const wizardsSubscriptionResolvers = {
  wizardUpdates: subscriptionField(({ ids }: SubscriptionWizardUpdatesArgs, { wizards }) => wizards.streams.wizardUpdates(ids)),
  duelUpdates: subscriptionField(({ filter }: SubscriptionDuelUpdatesArgs, { wizards }) =>
    wizards.streams.duelUpdates(filter ?? {}),
  ),
};

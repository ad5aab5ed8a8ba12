import type { SubscriptionDuelUpdatesArgs, SubscriptionWizardUpdatesArgs } from '../../../generated/wizards.ts';
import type { SourceStream } from '../../../graphql/stream.ts';
import type { WizardsContext } from '../context.ts';

/** A field of `Subscription`: where its events come from. Its value is the event's property of the same name. */
const field = <Args>(streamOf: (args: Args, context: WizardsContext) => SourceStream) => ({
  subscribe: (_root: unknown, args: Args, context: WizardsContext) => streamOf(args, context),
});

export const wizardsSubscriptionResolvers = {
  wizardUpdates: field(({ ids }: SubscriptionWizardUpdatesArgs, { wizards }) => wizards.live.wizardUpdates(ids)),
  duelUpdates: field(({ filter }: SubscriptionDuelUpdatesArgs, { wizards }) => wizards.live.duelUpdates(filter ?? {})),
};

import type { WizardLoaders } from './loaders/index.ts';

/** The part of an operation's context that wizard resolvers use. */
export interface WizardsContext {
  readonly wizards: WizardLoaders;
}

import type { WizardLoaders } from './loaders/index.ts';

/** What wizard resolvers find in the context of an operation. */
export interface WizardsContext {
  readonly wizards: WizardLoaders;
}

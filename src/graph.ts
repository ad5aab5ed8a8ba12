import { chain } from './domains/chain/index.ts';
import { tokens } from './domains/tokens/index.ts';

/** What the graph is made of. */
export const domains = [chain, tokens] as const;

import { chain } from './chain/index.ts';
import { tokens } from './tokens/index.ts';
import { wizards } from './wizards/index.ts';

/** Everything that the graph can be made of. */
export const domains = [chain, tokens, wizards] as const;

/** What it is made of where there is no wizard service: the tournament's types are not in it, rather than failing when asked. */
const nodeDomains = [chain, tokens] as const;

export const selectDomains = (hasWizards: boolean): readonly (typeof domains)[number][] => (hasWizards ? domains : nodeDomains);

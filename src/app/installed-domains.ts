import { chain } from '../domains/chain/index.ts';
import type { Domain } from '../domains/domain.ts';
import { tokens } from '../domains/tokens/index.ts';
import { webhooks } from '../domains/webhooks/index.ts';
import { wizards } from '../domains/wizards/index.ts';

/** The installed domains, in the order of their SDL. */
export const domains: readonly Domain[] = [chain, tokens, webhooks, wizards];

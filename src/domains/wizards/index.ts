import type { Domain } from '../../graphql/domain.ts';
import type { View } from '../../snapshot/index.ts';
import { openRest } from '../../upstream/rest/rest-client.ts';
import { weights } from './costs.ts';
import { type WizardLoaders, wizardLoaders } from './loaders/index.ts';
import { Kept } from './loaders/service-reader.ts';
import { resolvers } from './resolvers/index.ts';
import { type LiveSources, NO_LIVE, openLive } from './subscriptions/index.ts';

/** Where the wizard service is, and what this server is known by there. */
export interface WizardSettings {
  /** Base URL, a key in it included. */
  readonly url: string;
  readonly token?: string | undefined;
  readonly email?: string | undefined;
  /** Longest wait for one answer; 5,000 when left out. */
  readonly timeoutMs?: number;
  /** Maximum size of one response in bytes, decompressed; 64 MiB when left out. */
  readonly maxBytes?: number;
  /** What subscriptions are told from; without it they are refused. */
  readonly live?: LiveSources | undefined;
  /** Told how many fields of an answer have two names that say different things; the newer name counts. */
  readonly onContradictions?: (count: number) => void;
}

/** The wizard tournament: wizards and their duels, as the wizard service tells them, tied to the chain. */
export const wizards: Domain<'wizards', WizardSettings, View, WizardLoaders> = {
  name: 'wizards',
  schema: 'schema/wizards',
  resolvers,
  weights,
  open: ({ url, token, email, timeoutMs, maxBytes, live, onContradictions }) => {
    const headers = { ...(token && { 'x-api-token': token }), ...(email && { 'x-email': email }) };
    const rest = openRest({
      url,
      headers,
      name: 'The wizard service',
      source: 'wizard',
      sizeSetting: 'WIZARDS_MAX_BYTES',
      ...(timeoutMs && { timeoutMs }),
      ...(maxBytes && { largest: maxBytes }),
    });
    const kept = new Kept();
    const service = { rest, kept, onContradictions };
    const sources = { service, live: live ? openLive(live, service) : NO_LIVE };
    return (view) => wizardLoaders(sources, view);
  },
};

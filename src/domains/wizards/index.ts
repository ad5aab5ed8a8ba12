import type { Domain } from '../../graphql/domain.ts';
import type { Snapshot } from '../../snapshot/index.ts';
import { createRestClient } from '../../upstream/rest/rest-client.ts';
import { wizardsWeights } from './costs.ts';
import { type WizardLoaders, wizardLoaders } from './loaders/index.ts';
import { wizardsResolvers } from './resolvers/index.ts';
import { RestResultCache } from './service/service-reader.ts';
import { createWizardStreams, UNSUPPORTED_WIZARD_STREAMS, type WizardStreamSources } from './subscriptions/index.ts';

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
  readonly streamSources?: WizardStreamSources | undefined;
  /** Told how many fields of an answer have two names that say different things; the newer name counts. */
  readonly onFieldConflicts?: (count: number) => void;
}

/** The wizard tournament: wizards and their duels, as the wizard service tells them, tied to the chain. */
export const wizards: Domain<'wizards', WizardSettings, Snapshot, WizardLoaders> = {
  name: 'wizards',
  schema: 'schema/wizards',
  resolvers: wizardsResolvers,
  weights: wizardsWeights,
  create: ({ url, token, email, timeoutMs, maxBytes, streamSources, onFieldConflicts }) => {
    const headers = { ...(token && { 'x-api-token': token }), ...(email && { 'x-email': email }) };
    const rest = createRestClient({
      url,
      headers,
      name: 'The wizard service',
      source: 'wizard',
      sizeSetting: 'WIZARDS_MAX_BYTES',
      ...(timeoutMs && { timeoutMs }),
      ...(maxBytes && { maxResponseBytes: maxBytes }),
    });
    const service = { rest, cache: new RestResultCache(), onFieldConflicts };
    const sources = {
      service,
      streams: streamSources ? createWizardStreams(streamSources, service) : UNSUPPORTED_WIZARD_STREAMS,
    };
    return (view) => wizardLoaders(sources, view);
  },
};

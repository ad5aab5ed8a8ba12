import type { Domain } from '../../graphql/domain.ts';
import type { Snapshot } from '../../snapshot/index.ts';
import { createRestClient } from '../../upstream/rest/rest-client.ts';
import { wizardsWeights } from './costs.ts';
import { type WizardLoaders, wizardLoaders } from './loaders/index.ts';
import { wizardsResolvers } from './resolvers/index.ts';
import { RestResultCache } from './service/service-reader.ts';
import { createWizardStreams, type WizardStreamSources } from './subscriptions/index.ts';

/** URL, credentials and limits of the wizard service. */
export interface WizardSettings {
  /** Base URL, including an API key if there is one. */
  readonly url: string;
  readonly token?: string | undefined;
  readonly email?: string | undefined;
  /** Timeout of one request in milliseconds; 5,000 when left out. */
  readonly timeoutMs?: number;
  /** Maximum size of one response in bytes, decompressed; 64 MiB when left out. */
  readonly maxBytes?: number;
  /** Called with the number of fields of a response that have both a current and a legacy name with different values. */
  readonly onFieldConflicts?: (count: number) => void;
}

export interface WizardDomainOptions extends WizardSettings {
  readonly streamSources: WizardStreamSources;
}

/** The wizard tournament: wizards and duels of the wizard service, linked to accounts and blocks of the chain. */
export const wizards: Domain<'wizards', WizardDomainOptions, Snapshot, WizardLoaders> = {
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
    const sources = { service, streams: createWizardStreams(streamSources, service) };
    return (snapshot) => wizardLoaders(sources, snapshot);
  },
};

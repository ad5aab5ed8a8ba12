import { defineDomain } from '../../domain.ts';
import type { Snapshot } from '../../snapshot/index.ts';
import { parseEndpoint } from '../../upstream/endpoint.ts';
import { createRestClient, type RestClientOptions } from '../../upstream/rest/rest-client.ts';
import { warnOnChainMismatch } from './chain-check.ts';
import { wizardsWeights } from './costs.ts';
import { type WizardLoaders, wizardLoaders } from './loaders/index.ts';
import { RestResultCache, type WizardServiceClient } from './loaders/service-reader.ts';
import { wizardsResolvers } from './resolvers/index.ts';
import { wizardSettings } from './settings.ts';
import { createWizardStreams, UNSUPPORTED_WIZARD_STREAMS, type WizardStreamSources } from './subscriptions/index.ts';

const ERROR_SOURCE = 'wizard';

/** The address and the credentials of a wizard service. */
interface WizardServiceOptions extends Pick<RestClientOptions, 'timeoutMs' | 'maxResponseBytes'> {
  /** Base URL, API key included. */
  readonly url: string;
  readonly token?: string | undefined;
  readonly email?: string | undefined;
}

/** Creates the client of the wizard service that all operations share. `onFieldConflicts` is described at `WizardServiceClient`. */
export function createWizardService(
  { url, token, email, ...limits }: WizardServiceOptions,
  onFieldConflicts?: WizardServiceClient['onFieldConflicts'],
): WizardServiceClient {
  const headers = { ...(token && { 'x-api-token': token }), ...(email && { 'x-email': email }) };
  const rest = createRestClient({
    url,
    headers,
    name: 'The wizard service',
    source: ERROR_SOURCE,
    sizeSetting: 'WIZARDS_MAX_BYTES',
    ...limits,
  });
  return { rest, cache: new RestResultCache(), onFieldConflicts };
}

/** Returns the factory of each operation's wizard loaders. Without sources, every subscription is rejected. */
export function createWizardLoaders(
  service: WizardServiceClient,
  streamSources?: WizardStreamSources,
): (snapshot: Snapshot) => WizardLoaders {
  const streams = streamSources ? createWizardStreams(streamSources, service) : UNSUPPORTED_WIZARD_STREAMS;
  return (snapshot) => wizardLoaders({ service, streams }, snapshot);
}

/** The wizard tournament: wizards and duels of the wizard service, linked to accounts and blocks of the chain. */
export const wizards = defineDomain({
  name: 'wizards',
  schema: 'schema/wizards',
  settings: wizardSettings,
  resolvers: wizardsResolvers,
  weights: wizardsWeights,
  errorSource: ERROR_SOURCE,
  exampleQuery:
    '{ wizards(first: 3) { nodes { id power owner { address balance } createdBlock { timestamp } duels { nodes { id } } } } }',
  disabledLabel: 'none; set WIZARDS_URL to their service',
  isEnabled: ({ WIZARDS_URL, RPC_URL }) => WIZARDS_URL !== undefined || RPC_URL === undefined,
  create({ settings, embedded, node, follower, feed, log }) {
    const { WIZARDS_URL, WIZARDS_API_TOKEN, WIZARDS_EMAIL, WIZARDS_CHAIN_ID, WIZARDS_MAX_BYTES, RPC_TIMEOUT_MS } = settings;
    if (WIZARDS_URL !== undefined) warnOnChainMismatch(WIZARDS_CHAIN_ID, node, follower, log);
    const configured = WIZARDS_URL && { url: WIZARDS_URL, token: WIZARDS_API_TOKEN, email: WIZARDS_EMAIL };
    const access = configured || embedded?.wizardService;
    if (!access) throw new Error('the wizards domain needs WIZARDS_URL or the embedded chain');
    const { url, token, email } = access;
    let conflicts = 0;
    const service = createWizardService(
      { url, token, email, timeoutMs: RPC_TIMEOUT_MS, maxResponseBytes: WIZARDS_MAX_BYTES },
      (count) => {
        conflicts += count;
      },
    );
    return {
      loaders: createWizardLoaders(service, { feed, log }),
      label: parseEndpoint(url).label,
      metrics: [
        {
          name: 'wizard_contradictions_total',
          help: 'Fields of wizard service responses whose new and old names carry different values.',
          kind: 'counter',
          value: () => conflicts,
        },
      ],
      stop: () => service.rest.close(),
    };
  },
});

import { defineDomain } from '../../domain.ts';
import type { Snapshot } from '../../snapshot/index.ts';
import { parseEndpoint } from '../../upstream/endpoint.ts';
import type { UpstreamObserver } from '../../upstream/request-observer.ts';
import { createRestClient } from '../../upstream/rest/rest-client.ts';
import { warnOnChainMismatch } from './chain-check.ts';
import { wizardsWeights } from './costs.ts';
import { type WizardLoaders, wizardLoaders } from './loaders/index.ts';
import { wizardsResolvers } from './resolvers/index.ts';
import { RestResultCache } from './service/service-reader.ts';
import { routeOf } from './service/wizard-service.ts';
import { wizardSettings } from './settings.ts';
import { createWizardStreams, type WizardStreamSources } from './subscriptions/index.ts';

const ERROR_SOURCE = 'wizard';

/** URL, credentials and limits of the wizard service. */
export interface WizardLoaderOptions {
  /** Base URL, including an API key if there is one. */
  readonly url: string;
  readonly token?: string | undefined;
  readonly email?: string | undefined;
  /** Timeout of one request in milliseconds; 5,000 when left out. */
  readonly timeoutMs?: number;
  /** Maximum size of one response in bytes, decompressed; 64 MiB when left out. */
  readonly maxBytes?: number;
  readonly streamSources: WizardStreamSources;
  /** Called with the number of fields of a response that have different values under their current and legacy names; the current name wins. */
  readonly onFieldConflicts?: (count: number) => void;
  readonly observer?: UpstreamObserver;
}

/** Returns the factory of each operation's wizard loaders, and `stop`, which closes the connections to the wizard service. */
export function createWizardLoaders(options: WizardLoaderOptions) {
  const { url, token, email, timeoutMs, maxBytes, streamSources, onFieldConflicts, observer } = options;
  const rest = createRestClient({
    url,
    headers: { ...(token && { 'x-api-token': token }), ...(email && { 'x-email': email }) },
    name: 'The wizard service',
    source: ERROR_SOURCE,
    sizeSetting: 'WIZARDS_MAX_BYTES',
    observer,
    routeOf,
    ...(timeoutMs && { timeoutMs }),
    ...(maxBytes && { maxResponseBytes: maxBytes }),
  });
  const service = { rest, cache: new RestResultCache(), onFieldConflicts };
  const streams = createWizardStreams(streamSources, service);
  return {
    loaders: (snapshot: Snapshot): WizardLoaders => wizardLoaders({ service, streams }, snapshot),
    stop: () => rest.close(),
  };
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
  enableHint: 'set WIZARDS_URL to their service',
  isEnabled: ({ WIZARDS_URL, RPC_URL }) => WIZARDS_URL !== undefined || RPC_URL === undefined,
  create({ settings, embedded, node, follower, feed, log, upstreamObserver }) {
    const { WIZARDS_URL, WIZARDS_API_TOKEN, WIZARDS_EMAIL, WIZARDS_CHAIN_ID, WIZARDS_MAX_BYTES, RPC_TIMEOUT_MS } = settings;
    if (WIZARDS_URL !== undefined) warnOnChainMismatch(WIZARDS_CHAIN_ID, node, follower, log);
    const configured = WIZARDS_URL && { url: WIZARDS_URL, token: WIZARDS_API_TOKEN, email: WIZARDS_EMAIL };
    const access = configured || embedded?.wizardService;
    if (!access) throw new Error('the wizards domain needs WIZARDS_URL or the embedded chain');
    let conflicts = 0;
    const { loaders, stop } = createWizardLoaders({
      url: access.url,
      token: access.token,
      email: access.email,
      timeoutMs: RPC_TIMEOUT_MS,
      maxBytes: WIZARDS_MAX_BYTES,
      streamSources: { feed, log },
      observer: upstreamObserver,
      onFieldConflicts: (count) => {
        conflicts += count;
      },
    });
    return {
      loaders,
      stop,
      label: parseEndpoint(access.url).label,
      metrics: [
        {
          name: 'wizard_conflicting_fields_total',
          help: 'Fields of wizard service responses with different values under their current and legacy names.',
          kind: 'counter',
          value: () => conflicts,
        },
      ],
    };
  },
});

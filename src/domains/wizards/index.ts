import type { Logger } from 'pino';
import { z } from 'zod';
import { headerText, httpUrl, integer, type Setting, setting } from '../../config/settings.ts';
import type { Data } from '../../ethereum/hex.ts';
import type { Follower } from '../../sync/head/follower.ts';
import { createRestClient } from '../../upstream/rest/rest-client.ts';
import type { RpcNode } from '../../upstream/rpc/node.ts';
import { defineDomain } from '../domain.ts';
import { wizardsWeights } from './costs.ts';
import { wizardLoaders } from './loaders/index.ts';
import { wizardsResolvers } from './resolvers.ts';
import { createServiceClient } from './service/service-reader.ts';
import { routeOf, UNKNOWN_WIZARD_PATH } from './service/wizard-service.ts';
import { createWizardStreams } from './subscriptions.ts';

const ERROR_SOURCE = 'wizard';

/** Settings of a service that has no URL have no effect. */
const ignoredFor: Setting['ignoredFor'] = ({ WIZARDS_URL }) => WIZARDS_URL === undefined && 'WIZARDS_URL is unset';

export const wizardSettings = {
  WIZARDS_URL: setting(httpUrl.optional(), {
    about:
      'Base URL of the wizard service of a tournament on the same chain, API key included. When unset, a server with `RPC_URL` has no wizards',
    secret: true,
    isPerChain: true,
  }),
  WIZARDS_API_TOKEN: setting(headerText.optional(), {
    about: 'API token for the wizard service',
    secret: true,
    ignoredFor,
    isPerChain: true,
  }),
  WIZARDS_EMAIL: setting(z.email('is not an e-mail address').optional(), {
    about: 'Verified e-mail address of the account with the wizard service',
    secret: true,
    ignoredFor,
    isPerChain: true,
  }),
  WIZARDS_CHAIN_ID: setting(integer(1).optional(), {
    about: 'Chain id of the tournament of `WIZARDS_URL`, in decimal or 0x-hex; not checked when unset',
    isPerChain: true,
    ignoredFor,
  }),
  WIZARDS_MAX_BYTES: setting(integer(1024).default(64 * 1024 * 1024), {
    about:
      'Maximum size of one response of the wizard service in bytes, decompressed. A list of this size takes about four times as much memory while it is used',
  }),
};

/** The wizard tournament: wizards and duels of the wizard service, linked to accounts and blocks of the chain. */
export const wizards = defineDomain({
  name: 'wizards',
  schema: 'schema/wizards',
  settings: wizardSettings,
  resolvers: wizardsResolvers,
  weights: wizardsWeights,
  errorSource: ERROR_SOURCE,
  exampleQuery:
    '{ wizards(first: 3) { nodes { id power owner { address balanceIn } createdBlock { timestampISO } duels { nodes { id } } } } }',
  enableHint: 'set WIZARDS_URL to their service',
  embeddedParts({ wizardService, tournament }) {
    const { url } = wizardService as { readonly url: string };
    const { address } = tournament as { readonly address: Data };
    return { url, abis: [{ address, contractName: 'Tournament', fragments: [] }] };
  },
  isEnabled: ({ WIZARDS_URL, RPC_URL }) => WIZARDS_URL !== undefined || RPC_URL === undefined,
  create({ settings, embedded, node, follower, feed, log, upstreamObserver }) {
    const { WIZARDS_URL, WIZARDS_API_TOKEN, WIZARDS_EMAIL, WIZARDS_CHAIN_ID, WIZARDS_MAX_BYTES, RPC_TIMEOUT_MS } = settings;
    if (WIZARDS_URL !== undefined) warnOnChainMismatch(WIZARDS_CHAIN_ID, node, follower, log);
    const configured = WIZARDS_URL ? { url: WIZARDS_URL, token: WIZARDS_API_TOKEN, email: WIZARDS_EMAIL } : undefined;
    const access = configured ?? (embedded?.services.wizardService as typeof configured);
    if (!access) throw new Error('the wizards domain needs WIZARDS_URL or the embedded chain');
    const rest = createRestClient({
      url: access.url,
      headers: { ...(access.token && { 'x-api-token': access.token }), ...(access.email && { 'x-email': access.email }) },
      name: 'The wizard service',
      source: ERROR_SOURCE,
      sizeSetting: 'WIZARDS_MAX_BYTES',
      observer: upstreamObserver,
      log,
      routeOf,
      timeoutMs: RPC_TIMEOUT_MS,
      maxResponseBytes: WIZARDS_MAX_BYTES,
    });
    const service = createServiceClient(rest);
    const streams = createWizardStreams({ feed, log }, service);
    return {
      loaders: (snapshot) => wizardLoaders(service, streams, snapshot),
      checkOptional: async () => rest.check(UNKNOWN_WIZARD_PATH),
      stop: () => rest.close(),
      label: rest.label,
    };
  },
});

/**
 * Logs a warning if `expected` (WIZARDS_CHAIN_ID) differs from the chain id of the node, because owners and block heights of the
 * wizard service would then be resolved on the wrong chain. Compares once the node is reachable; does nothing without `expected`.
 */
function warnOnChainMismatch(expected: number | undefined, node: RpcNode, follower: Follower, log: Logger): void {
  if (expected === undefined) return;
  // Never aborted: the check waits for an unavailable node until the process exits.
  const { signal } = new AbortController();
  follower
    .ready(signal)
    .then(() => node.chainId(signal))
    .then((chainId) => {
      if (chainId === null || Number(chainId) === expected) return;
      log.warn(
        { served: Number(chainId), expected },
        'WIZARDS_CHAIN_ID differs from the chain id of the node: owners and block heights of wizards belong to another chain',
      );
    })
    .catch((err) => log.debug({ err }, 'could not compare WIZARDS_CHAIN_ID with the chain id of the node'));
}

import { readAbiFiles } from '../config/abi-files.ts';
import { type ConfiguredChain, readChainsFile, unsetChainSettings } from '../config/chains-file.ts';
import { assembleSettings, type CoreSettings } from '../config/core-settings.ts';
import { servesSeveralChains } from '../config/setting-checks.ts';
import { readTokenLists } from '../config/token-lists.ts';
import type { Domain, DomainServices } from '../domains/domain.ts';
import type { ConfiguredAbi } from '../ethereum/abi/registry.ts';
import { type Quantity, quantityOf } from '../ethereum/hex.ts';
import type { createObservability } from '../observability/index.ts';
import { cacheMetrics, createEventReads } from '../snapshot/event-reads.ts';
import { createLiveCalls } from '../snapshot/live-calls.ts';
import { createRpcResultCache } from '../snapshot/rpc-result-cache.ts';
import { headMetrics } from '../sync/head/head-status.ts';
import { nodeMetrics } from '../upstream/rpc/node-metrics.ts';
import { type Chain, labelOfChain, startChain, stopChain } from './chain.ts';
import type { EnabledDomain, ServedChain } from './enabled-domains.ts';
import { embeddedServices, type NetworkDescription, type NetworkOfChain } from './network.ts';

/** A chain to serve. */
export interface ChainOptions {
  /** The id that the node must have; undefined for the default chain, which may have any id. */
  readonly id?: Quantity;
  readonly settings: CoreSettings;
  readonly domains: readonly Domain[];
  readonly devnet?: NetworkDescription | undefined;
  readonly embedded?: DomainServices['embedded'];
  readonly embeddedAbis?: readonly ConfiguredAbi[] | undefined;
  /** Follows the chain. @default this process follows it */
  readonly startChain?: ((...args: Parameters<typeof startChain>) => Chain) | undefined;
}

/** What all chains of a server share. */
interface SharedServices {
  readonly services: Pick<DomainServices, 'service' | 'log' | 'openDatabase'>;
  readonly observeUpstreams: ReturnType<typeof createObservability>['observeUpstreams'];
  /** Size of the cache of each chain; 0 for none. */
  readonly cacheBytes: number;
  /** Receives the functions that stop the parts, in the order of their starts. */
  readonly stops: (() => Promise<void>)[];
}

/**
 * Starts to follow a chain. Call `createDomains` once its first head, or the failure of its node, is known. An unreachable node does not end the start; an
 * invalid file of the chain throws BAD_USER_INPUT.
 */
export function startServedChain(
  { id, settings, domains, devnet, embedded, embeddedAbis, startChain: start = startChain }: ChainOptions,
  { services, observeUpstreams, cacheBytes, stops }: SharedServices,
) {
  const abis = readAbiFiles(settings.ABI_DIR, embeddedAbis);
  const tokenLists = readTokenLists(settings.TOKEN_LISTS, devnet ? [devnet.tokenList] : []);
  const { upstreamObserver, metrics: upstreamMetrics } = observeUpstreams();
  const log = id === undefined ? services.log : services.log.child({ chain: Number(id) });
  const chain: Chain = start([settings, devnet, log, upstreamObserver], id);
  stops.push(() => stopChain(chain));
  const { node, follower, feed, results } = chain;

  /** `first`: the default chain. */
  const createDomains = (first?: ServedChain): ServedChain => {
    const cache = cacheBytes === 0 ? undefined : createRpcResultCache(cacheBytes, follower, results?.sharing);
    results?.attach(cache);
    const sources = { node, follower, cache, eventReads: createEventReads(feed), liveCalls: createLiveCalls(node) };
    const ofChain = { chainId: id, settings, log, node, follower, feed, snapshotSources: sources, embedded, abis, tokenLists };
    const enabled: EnabledDomain[] = [];
    for (const domain of domains) {
      const shared = domain.servesAllChains && first?.enabled.find((one) => one.domain === domain)?.running;
      const domainServices = { ...services, upstreamObserver, ...ofChain };
      const running = shared?.serveChain?.(id!, domainServices) ?? domain.create(domainServices);
      enabled.push({ domain, running });
      stops.push(async () => running.stop?.());
    }
    const metrics = [
      ...upstreamMetrics,
      ...nodeMetrics(node),
      ...headMetrics(follower),
      ...cacheMetrics(cache, sources.eventReads),
      ...enabled.flatMap(({ running }) => running.metrics ?? []),
    ];
    return { id, sources, enabled, label: () => labelOfChain(follower, id), metrics };
  };
  return { chain, createDomains };
}

/** A chain of CHAINS, or a further chain of the embedded network, which `devnet` describes. */
export type FurtherChain = ConfiguredChain & { readonly devnet?: NetworkDescription };

/** The chains that a server serves beside the default one: those of its embedded network, and those of CHAINS. Throws BAD_USER_INPUT for an invalid file. */
export function furtherChains(
  settings: CoreSettings,
  installed: readonly Domain[],
  network: NetworkDescription | undefined,
): readonly FurtherChain[] {
  const definitions = assembleSettings(installed);
  const described = servesSeveralChains(settings) ? (network?.chains ?? []) : [];
  const embedded = described.map((devnet) => {
    return { id: quantityOf(devnet.chainId), name: devnet.name, values: unsetChainSettings(definitions), devnet };
  });
  const embeddedIds = network ? [quantityOf(network.chainId), ...embedded.map(({ id }) => id)] : [];
  return [...embedded, ...readChainsFile(settings.CHAINS, definitions, embeddedIds)];
}

/** What a chain has from its embedded network: nothing without one. */
export const embeddedParts = (network: NetworkOfChain | undefined, installed: readonly Domain[]) => {
  if (!network) return {};
  const { description: devnet } = network;
  const embeddedAbis = installed.flatMap((domain) => domain.embeddedParts?.({ ...devnet }).abis ?? []);
  return { devnet, embedded: embeddedServices(network), embeddedAbis };
};

/** A further chain with the domains that its settings enable. */
export const optionsOfChain = (
  { id, values, devnet }: FurtherChain,
  shared: CoreSettings,
  installed: readonly Domain[],
): ChainOptions => {
  const settings = { ...shared, ...values } as CoreSettings;
  const isServed = ({ name }: Domain): boolean => shared.DOMAIN.length === 0 || shared.DOMAIN.includes(name);
  const isEnabled = (one: Domain): boolean => one.isEnabled?.(one.servesAllChains ? shared : settings) ?? true;
  const domains = installed.filter((one) => isServed(one) && isEnabled(one));
  return { id, settings, domains, ...embeddedParts(devnet && { description: devnet }, installed) };
};

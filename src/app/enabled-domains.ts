import type { ConfiguredChain } from '../config/chains-file.ts';
import type { CoreSettings } from '../config/core-settings.ts';
import { isSubgraph } from '../config/setting-checks.ts';
import type { Domain, RunningDomain } from '../domains/domain.ts';
import type { Quantity } from '../ethereum/hex.ts';
import type { FieldWeights } from '../graphql/cost/field-cost.ts';
import { type ChainsContext, weightsOfDomains, withChainFields } from '../graphql/federation/chains.ts';
import { composeSchema, subgraphSchema } from '../graphql/federation/compose.ts';
import { authenticatedFields } from '../graphql/federation/subgraph-sdl.ts';
import { untilAborted } from '../lib/abort.ts';
import { GraphError, withNodeAsCause } from '../lib/errors.ts';
import type { ChainMetrics } from '../lib/metrics.ts';
import { createHeadWait } from '../operation/head-wait.ts';
import { type BlocksOfChains, type Operation, operationOnChain } from '../operation/operation.ts';
import type { FieldEvidence } from '../operation/trust.ts';
import { pinnedHeight, responseLifetime } from '../snapshot/chain-facts.ts';
import { Snapshot, type SnapshotSources } from '../snapshot/index.ts';
import { probeNode } from '../snapshot/node-capabilities.ts';
import type { Follower } from '../sync/head/follower.ts';
import { checkSyncReadiness, headStatus } from '../sync/head/head-status.ts';
import type { Chain } from './chain.ts';

/** A domain with its running services. */
export interface EnabledDomain {
  readonly domain: Domain;
  readonly running: RunningDomain;
}

/** The context of the resolvers of one chain. The loaders of its domains are properties with their names. */
interface ChainContext {
  readonly follower: Follower;
}

/** A chain that the server serves, with its domains. */
export interface ServedChain extends ChainMetrics {
  /** Undefined for the default chain, whose node states its id. */
  readonly id?: Quantity | undefined;
  readonly enabled: readonly EnabledDomain[];
  readonly sources: SnapshotSources & { readonly follower: Follower };
}

/** The schema, the costs and the context of the served chains, the default one first, and the response cache. */
export function graphOf(
  chains: readonly [ServedChain, ...ServedChain[]],
  settings: CoreSettings,
  lifetimes: Pick<Parameters<typeof responseLifetime>[0], 'finalizedHeight' | 'headSchedule'>,
) {
  const { follower, cache } = chains[0].sources;
  const lifetimeSources = { follower, cache, ...lifetimes };
  const domains = [...new Set(chains.flatMap(({ enabled }) => enabled.map(({ domain }) => domain)))];
  const evidence: FieldEvidence = Object.assign({}, ...domains.map((domain) => domain.evidence));
  return {
    schema: (isSubgraph(settings) ? subgraphSchema : composeSchema)(domains, settings.MULTI_CHAIN === 'on'),
    authenticatedFields: authenticatedFields(domains),
    weights: { ...weightsOfDomains(domains), 'Query.chains': { size: chains.length } } as FieldWeights,
    evidence: { ...withChainFields(evidence), 'Query.chain': [], 'Query.chains': [] },
    heightOf: (block: string | undefined) => pinnedHeight(follower, block),
    follower,
    otherFollowers: chains.slice(1).map(({ sources }) => sources.follower),
    contextOf: contextsOf(chains, domains, settings.OPERATION_TIMEOUT_MS),
    lifetimeOf: (operation: Operation) => responseLifetime(lifetimeSources, operation),
    blocksOf: (operation: Operation) => blocksOf(operation, chains[0].sources),
    responseCache: cache && {
      scopeOf: ({ block, head }: Operation) => (block === undefined ? (head ?? follower.head)?.hash : undefined),
      ...cache.responses,
    },
  };
}

/** The blocks at which an operation has read its chains, the default one first; undefined if it has read none. */
async function blocksOf(
  { signal, extensions, chains }: Operation,
  { node, follower }: ServedChain['sources'],
): Promise<readonly object[] | undefined> {
  const blocks = [...(chains ?? [])].map(([chainId, operation]) => ({ chainId, block: operation.extensions.block }));
  if (extensions.block) {
    // The follower may know the block of a node that responds over its WebSocket only.
    const chainId = follower.status.chainId ?? (await node.chainId(signal).catch(() => null));
    if (chainId !== null) blocks.unshift({ chainId, block: extensions.block });
  }
  const read = blocks.flatMap(({ chainId, block }) => (block ? [{ chainId, ...block }] : []));
  return read.length > 0 ? read : undefined;
}

/**
 * Creates the contexts of operations. The snapshot of an operation, the loaders of a domain, and the contexts of other chains are created when they are
 * first read. `domains`: those of at least one chain.
 */
function contextsOf(
  chains: readonly [ServedChain, ...ServedChain[]],
  domains: readonly Domain[],
  operationTimeoutMs: number,
): (operation: Operation) => ChainContext {
  const [defaultChain, ...others] = chains.map((chain) => contextClass(chain, domains));
  const headWaits = chains.map(({ sources }) => createHeadWait(sources.follower, operationTimeoutMs));
  const stated = new Map(chains.flatMap(({ id }, i) => (id === undefined ? [] : [[id, i] as const])));
  const { node } = chains[0].sources;

  /** The context of the default chain. */
  class DefaultContext extends (defaultChain!) implements ChainsContext {
    #others: (object | Promise<object>)[] | undefined;

    async contextOfChain(id: Quantity): Promise<object> {
      const index = stated.get(id);
      if (index !== undefined) return this.#contextAt(index);
      const own = await node.chainId(this.operation.signal);
      if (own === id) return this.#contextAt(0);
      const served = [...(own === null ? [] : [own]), ...stated.keys()].map((one) => Number(one)).join(', ');
      throw new GraphError('BAD_USER_INPUT', `The server does not serve chain ${Number(id)}. Pass one of: ${served}.`);
    }

    contextsOfChains(): readonly (object | Promise<object>)[] {
      return chains.map((_chain, i) => this.#contextAt(i));
    }

    #contextAt(i: number): object | Promise<object> {
      if (i === 0) return this;
      this.#others ??= [];
      this.#others[i] ??= this.#createContext(i);
      return this.#others[i];
    }

    #createContext(i: number): object | Promise<object> {
      const operation = operationOnChain(this.operation, chains[i]!.id!);
      const context = new others[i - 1]!(operation);
      const { minBlock, signal, event } = operation;
      // Another process of this server may serve a newer head; an event has its own block.
      const pendingHead = event ? undefined : chains[i]!.sources.follower.pendingHead;
      const wait = async () => {
        if (pendingHead) await untilAborted(pendingHead, signal);
        if (minBlock !== undefined) operation.head = await headWaits[i]!(minBlock, signal);
        return context;
      };
      return pendingHead || minBlock !== undefined ? wait() : context;
    }
  }
  const checkBlocks = (blocks: BlocksOfChains): void => {
    const unknown = [...blocks.keys()].find((id) => !stated.has(id));
    if (unknown === undefined) return;
    const ids = [...stated.keys()].map(Number).join(', ') || 'none';
    const message = `The request names a block of chain ${Number(unknown)}. Name the block of the default chain without an id, and of others with: ${ids}.`;
    throw new GraphError('BAD_USER_INPUT', message);
  };
  return (operation) => {
    if (operation.blocks) checkBlocks(operation.blocks);
    return new DefaultContext(operation);
  };
}

/** Creates the class of the contexts of one chain. A domain that only other chains have fails with DOMAIN_NOT_CONFIGURED. */
function contextClass({ id, enabled, sources }: ServedChain, domains: readonly Domain[]) {
  class Context {
    snapshot: Snapshot | undefined;
    readonly loaders: (object | undefined)[] = [];
    readonly operation: Operation;

    get follower(): Follower {
      return sources.follower;
    }

    async chainId(): Promise<Quantity> {
      return id ?? (await sources.node.chainId(this.operation.signal))!;
    }

    constructor(operation: Operation) {
      this.operation = operation;
    }
  }
  for (const [i, domain] of domains.entries()) {
    const running = enabled.find((one) => one.domain === domain)?.running;
    Object.defineProperty(Context.prototype, domain.name, {
      get(this: Context) {
        if (!running)
          throw new GraphError(
            'DOMAIN_NOT_CONFIGURED',
            `This chain has no ${domain.name}. The operator of the server can ${domain.enableHint}.`,
          );
        this.snapshot ??= new Snapshot(sources, this.operation);
        this.loaders[i] ??= running.loaders(this.snapshot);
        return this.loaders[i];
      },
    });
  }
  return Context;
}

/**
 * Rejects with the first reason why requests would fail: the follower, the node, or a domain. `degraded` names endpoints that are
 * not used while others are, and services without which some fields fail.
 */
export const createReadinessProbe =
  (chain: Pick<Chain, 'node' | 'follower' | 'feed'>, enabled: readonly EnabledDomain[], others: readonly ServedChain[] = []) =>
  async (signal: AbortSignal) => {
    const { node, follower, feed } = chain;
    if (follower.status.state === 'fatal') throw follower.status.error;
    // The cause of slow failures is the last failure of the follower.
    const block = await probeNode(node, signal).catch((error) => {
      throw signal.aborted ? (follower.status.error ?? withNodeAsCause(signal.reason)) : error;
    });
    checkSyncReadiness(follower, feed.sourceHealth);
    await Promise.all(enabled.map(({ running }) => running.ready?.(signal)));
    const unused = node.failures.map(({ endpoint, code, message }) => ({ endpoint, code, message }));
    const failing = others.flatMap(({ id, sources }) => failureOfChain(id, sources.follower));
    const degraded = [unused, failing, ...(await Promise.all(enabled.map((one) => degradation(one, signal))))].flat();
    return { block, head: headStatus(follower), ...(degraded.length > 0 && { degraded }) };
  };

/** The last failure of a chain whose head is not known; empty if it is. */
function failureOfChain(chain: Quantity | undefined, { status }: Follower) {
  if (status.state === 'live') return [];
  const { code, message } = status.error ?? UNKNOWN_HEAD;
  return [{ chain, code, message }];
}

const UNKNOWN_HEAD = new GraphError('UPSTREAM_UNAVAILABLE', 'The node has not responded yet.');

/** The failure of an optional service of a domain, for `/readyz`; empty if it responds. */
async function degradation({ domain: { name }, running }: EnabledDomain, signal: AbortSignal) {
  try {
    await running.checkOptional?.(signal);
    return [];
  } catch (error) {
    const { code, message } = error instanceof GraphError ? error : INTERNAL_FAILURE;
    return [{ domain: name, code, message }];
  }
}

const INTERNAL_FAILURE = new GraphError('INTERNAL_SERVER_ERROR', 'The check of the service failed.');

/** The line of further chains in the ready message. */
export const chainLines = (chains: readonly ConfiguredChain[]): [name: string, label: string][] =>
  chains.length === 0 ? [] : [['chains', chains.map(({ id, name }) => `${name} (${Number(id)})`).join(', ')]];

/** The lines of these domains in the ready message. */
export async function domainLines(domains: readonly Domain[], enabled: readonly EnabledDomain[]) {
  const lines = domains.map(async (domain): Promise<[name: string, label: string][]> => {
    const running = enabled.find((one) => one.domain === domain)?.running;
    const label = running ? await running.label : domain.enableHint && `none; ${domain.enableHint}`;
    return label === undefined ? [] : [[domain.name, label]];
  });
  return (await Promise.all(lines)).flat();
}

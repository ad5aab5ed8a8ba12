import type { Domain, RunningDomain } from '../domains/domain.ts';
import type { FieldWeights } from '../graphql/cost/field-cost.ts';
import { composeSchema, subgraphSchema } from '../graphql/federation/compose.ts';
import { authenticatedFields } from '../graphql/federation/subgraph-sdl.ts';
import { GraphError, withNodeAsCause } from '../lib/errors.ts';
import type { Operation } from '../operation/operation.ts';
import type { FieldEvidence } from '../operation/trust.ts';
import { pinnedHeight, responseLifetime } from '../snapshot/chain-facts.ts';
import { Snapshot, type SnapshotSources } from '../snapshot/index.ts';
import { probeNode } from '../snapshot/node-capabilities.ts';
import type { Follower } from '../sync/head/follower.ts';
import { headStatus } from '../sync/head/head-status.ts';
import type { RpcNode } from '../upstream/rpc/node.ts';

/** A domain with its running services. */
export interface EnabledDomain {
  readonly domain: Domain;
  readonly running: RunningDomain;
}

/** The schema, the costs and the context of the enabled domains, and the response cache. */
export function graphOf(
  enabled: readonly EnabledDomain[],
  isFederated: boolean,
  sources: SnapshotSources & { readonly follower: Follower },
  lifetimes: Pick<Parameters<typeof responseLifetime>[0], 'finalizedHeight' | 'headSchedule'>,
) {
  const { follower, cache } = sources;
  const lifetimeSources = { follower, cache, ...lifetimes };
  const domains = enabled.map(({ domain }) => domain);
  return {
    schema: isFederated ? subgraphSchema(domains) : composeSchema(domains),
    authenticatedFields: authenticatedFields(domains),
    weights: Object.assign({}, ...enabled.map(({ domain }) => domain.weights)) as FieldWeights,
    evidence: Object.assign({}, ...domains.map((domain) => domain.evidence)) as FieldEvidence,
    heightOf: (block: string | undefined) => pinnedHeight(follower, block),
    follower,
    contextOf: contextsOf(enabled, sources),
    lifetimeOf: (operation: Operation) => responseLifetime(lifetimeSources, operation),
    responseCache: cache && {
      scopeOf: ({ block, head }: Operation) => (block === undefined ? (head ?? follower.head)?.hash : undefined),
      ...cache.responses,
    },
  };
}

/** Creates the contexts of operations. The snapshot of an operation and the loaders of a domain are created when they are first read. */
function contextsOf(enabled: readonly EnabledDomain[], sources: SnapshotSources): (operation: Operation) => object {
  class Context {
    snapshot: Snapshot | undefined;
    readonly loaders: (object | undefined)[] = [];
    readonly operation: Operation;

    constructor(operation: Operation) {
      this.operation = operation;
    }
  }
  for (const [i, { domain, running }] of enabled.entries())
    Object.defineProperty(Context.prototype, domain.name, {
      get(this: Context) {
        this.snapshot ??= new Snapshot(sources, this.operation);
        this.loaders[i] ??= running.loaders(this.snapshot);
        return this.loaders[i];
      },
    });
  return (operation) => new Context(operation);
}

/**
 * Rejects with the first reason why requests would fail: the follower, the node, or a domain. `degraded` names endpoints that are
 * not used while others are, and services without which some fields fail.
 */
export const createReadinessProbe =
  (node: RpcNode, follower: Follower, enabled: readonly EnabledDomain[]) => async (signal: AbortSignal) => {
    if (follower.status.state === 'fatal') throw follower.status.error;
    // The cause of slow failures is the last failure of the follower.
    const block = await probeNode(node, signal).catch((error) => {
      throw signal.aborted ? (follower.status.error ?? withNodeAsCause(signal.reason)) : error;
    });
    await Promise.all(enabled.map(({ running }) => running.ready?.(signal)));
    const unused = node.failures.map(({ endpoint, code, message }) => ({ endpoint, code, message }));
    const degraded = [unused, ...(await Promise.all(enabled.map((one) => degradation(one, signal))))].flat();
    return { block, head: headStatus(follower), ...(degraded.length > 0 && { degraded }) };
  };

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

/** The lines of these domains in the ready message. */
export async function domainLines(domains: readonly Domain[], enabled: readonly EnabledDomain[]) {
  const lines = domains.map(async (domain): Promise<[name: string, label: string][]> => {
    const running = enabled.find((one) => one.domain === domain)?.running;
    const label = running ? await running.label : domain.enableHint && `none; ${domain.enableHint}`;
    return label === undefined ? [] : [[domain.name, label]];
  });
  return (await Promise.all(lines)).flat();
}

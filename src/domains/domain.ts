import type { Logger } from 'pino';
import type { CoreSettings } from '../config/core-settings.ts';
import type { ServiceDescription, SettingDefinitions, SettingValues } from '../config/settings.ts';
import type { TokenLists } from '../config/token-lists.ts';
import type { Database } from '../database/database.ts';
import type { AbiRegistry, ConfiguredAbi } from '../ethereum/abi/registry.ts';
import type { Quantity } from '../ethereum/hex.ts';
import type { AnyDomain } from '../graphql/federation/sdl.ts';
import { type ErrorSource, GraphError } from '../lib/errors.ts';
import type { Metric } from '../lib/metrics.ts';
import type { DomainRoute } from '../operation/domain-route.ts';
import type { FieldEvidence } from '../operation/trust.ts';
import type { Snapshot, SnapshotSources } from '../snapshot/index.ts';
import type { ChainFeed } from '../sync/feed.ts';
import type { Follower } from '../sync/head/follower.ts';
import type { UpstreamObserver } from '../upstream/http-request.ts';
import type { RpcNode } from '../upstream/rpc/node.ts';

/** The embedded network. A domain uses one of its services when the setting for its own service is unset. */
export interface EmbeddedServices {
  /** The embedded database; undefined for the network of another process. */
  readonly database?:
    | {
        /** Rejects when the database cannot start. */
        readonly url: Promise<string>;
        /** Height of a chain that was restored from DATA_DIR; undefined for a new chain. */
        readonly restoredHeight: number | undefined;
      }
    | undefined;
  /** The other services, by their names in `/devnet.json`. The domain that uses a service defines its type. */
  readonly services: Readonly<Record<string, unknown>>;
}

/** Services that the composition root passes to every domain. */
export interface DomainServices<Settings = CoreSettings> {
  /** The core's settings and the domain's own. */
  readonly settings: Settings;
  /** The facts that the graph states about the server. */
  readonly service: ServiceDescription;
  /** Undefined for the default chain. */
  readonly chainId?: Quantity | undefined;
  readonly node: RpcNode;
  readonly follower: Follower;
  readonly feed: ChainFeed;
  /** Sources of snapshots outside of an operation. */
  readonly snapshotSources: SnapshotSources;
  /** Undefined over a node that RPC_URL names. */
  readonly embedded: EmbeddedServices | undefined;
  /** The ABIs of ABI_DIR and of the standards. */
  readonly abis: AbiRegistry;
  /** The lists of TOKEN_LISTS and of the embedded network. */
  readonly tokenLists: TokenLists;
  readonly log: Logger;
  /** Opens the database of the server, once for all domains; undefined without DATABASE_URL and without an embedded database. */
  readonly openDatabase: () => Database | undefined;
  /** Watches requests to upstreams; pass it to the domain's REST client. */
  readonly upstreamObserver: UpstreamObserver;
}

/** A domain of a running graph. */
export interface RunningDomain {
  /** The loaders of one operation, which read the chain through its snapshot. */
  loaders(snapshot: Snapshot): object;
  /** Serves a further chain, whose `stop` is that of this domain. Called in the tick of `create`. */
  serveChain?(chainId: Quantity, services: DomainServices): RunningDomain;
  /** HTTP routes besides the graph. */
  readonly routes?: readonly DomainRoute[];
  /** Path of the route that receives the notifications of the embedded network. */
  readonly notificationPath?: string;
  /** The domain's line in the ready message, which waits for it; omitted when undefined. */
  readonly label?: string | Promise<string> | undefined;
  readonly metrics?: readonly Metric[];
  /** Rejects with a GraphError when the domain cannot serve; `/readyz` responds 503 with its code and message. */
  ready?(signal: AbortSignal): Promise<void>;
  /** Rejects with a GraphError when a service is down that only some fields need; `/readyz` stays 200 and names it. */
  checkOptional?(signal: AbortSignal): Promise<void>;
  /** Releases the domain's connections. Called after the server has stopped. */
  stop?(): Promise<void>;
}

/** A plug-in: one part of the graph with its SDL, resolvers, settings, costs, metrics and readiness check. */
export interface Domain extends AnyDomain {
  /** Merged into the settings list, docs/settings.md and the masking of secrets. */
  readonly settings: SettingDefinitions;
  /** `extensions.source` of errors that the domain's upstream causes. */
  readonly errorSource: ErrorSource;
  /** What proves the values of its fields. @default nothing */
  readonly evidence?: FieldEvidence;
  /** A query for the ready message, which shows only the query of the last enabled domain with such a query. */
  readonly exampleQuery?: string;
  /**
   * Instruction that enables the domain, for the ready message and for the error when DOMAIN names it while it is
   * disabled: `set X_URL`.
   */
  readonly enableHint?: string;
  /** The URL of the domain's service in the embedded network, for the message of `devnet`, and the ABIs of its contracts. */
  embeddedParts?(services: EmbeddedServices['services']): { readonly url: string; readonly abis: readonly ConfiguredAbi[] };
  /**
   * Whether the domain of the default chain serves further chains (`RunningDomain.serveChain`), and its settings enable it there. @default each
   * chain has a domain of its own, with the settings of the chain
   */
  readonly servesAllChains?: true;
  /** Whether these settings enable the domain; without this function it is always enabled. */
  isEnabled?(settings: CoreSettings): boolean;
  /** Starts the domain. Called once per process. */
  create(services: DomainServices): RunningDomain;
}

/** A domain whose functions receive the values of the domain's settings in addition to the core's settings. */
interface DomainDefinition<Own extends SettingDefinitions> extends Omit<Domain, 'isEnabled' | 'create'> {
  readonly settings: Own;
  isEnabled?(settings: CoreSettings & SettingValues<Own>): boolean;
  create(services: DomainServices<CoreSettings & SettingValues<Own>>): RunningDomain;
}

/**
 * Defines a domain. The composition root reads the settings of all domains together, so each domain receives at least
 * its own settings.
 */
export const defineDomain = <Own extends SettingDefinitions>(definition: DomainDefinition<Own>): Domain => definition;

/**
 * Returns the domains that DOMAIN names, or all that these settings enable. Throws BAD_USER_INPUT when DOMAIN names an unknown or a disabled
 * domain.
 */
export function servedDomains(installed: readonly Domain[], settings: CoreSettings): readonly Domain[] {
  const { DOMAIN: names } = settings;
  const isEnabled = (domain: Domain): boolean => domain.isEnabled?.(settings) ?? true;
  if (names.length === 0) return installed.filter(isEnabled);
  const accepted = installed.map(({ name }) => name);
  const unknown = names.filter((name) => !accepted.includes(name));
  if (unknown.length > 0) {
    const message = `DOMAIN (or --domain) names "${unknown.join('", "')}". Pass one or several of: ${accepted.join(', ')}.`;
    throw new GraphError('BAD_USER_INPUT', message);
  }
  const named = installed.filter(({ name }) => names.includes(name));
  const disabled = named.find((domain) => !isEnabled(domain));
  if (disabled) {
    const hint = disabled.enableHint === undefined ? '' : `: ${disabled.enableHint}`;
    throw new GraphError('BAD_USER_INPUT', `DOMAIN (or --domain) names ${disabled.name}, which is disabled${hint}.`);
  }
  return named;
}

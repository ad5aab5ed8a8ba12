import type { Domain } from '../domains/domain.ts';
import { version } from '../lib/package-root.ts';
import { isBuilt } from '../server/web-pages.ts';
import type { Follower } from '../sync/head/follower.ts';
import type { NetworkDescription } from './network.ts';

/** The contents of the ready message. */
export interface ReadyMessageOptions {
  /** URL that the server listens on, without a path. */
  readonly url: string;
  /** URL of `/metrics`, without the path, if it has a separate port. */
  readonly metricsUrl: string | undefined;
  readonly nodeLabel: string;
  /** See `nodeProblem`. */
  readonly problem: string | undefined;
  /** The domains of a federation subgraph; undefined for a graph without federation fields. */
  readonly subgraph: readonly string[] | undefined;
  /** One line for each domain that has a ready message: its name and its label. */
  readonly domainLines: readonly (readonly [name: string, label: string])[];
  /** Undefined leaves the example out. A subgraph has its own example. */
  readonly exampleQuery: string | undefined;
  /** Undefined over a node that RPC_URL names. */
  readonly devnet: NetworkDescription | undefined;
}

const describeEmbeddedChain = ({ chainId, blockTime, nodeService, landmarks }: NetworkDescription): string => {
  const pace = blockTime === null ? 'no traffic' : `a block every ${blockTime} s`;
  return `embedded chain ${chainId} at ${nodeService.http}, ${landmarks.lastBlock} blocks of history, ${pace}`;
};

/**
 * Why the node cannot be used: the first sentence of the last error; undefined if it can be used. `httpFailure` is the failure of a node whose
 * WebSocket responds.
 */
export function nodeProblem({ state, error }: Follower['status'], httpFailure: Error | undefined): string | undefined {
  if (state === 'live' && !httpFailure) return undefined;
  const [cause] = ((error ?? httpFailure)?.message ?? 'The node has not responded yet.').split(/\.(?: |$)/);
  const problem = cause!.replace(/^The node /, '').replace('could not be reached', 'unreachable');
  return state === 'fatal' ? problem : `${problem}; retrying`;
}

const siteLine = (name: string, url: string): string => (isBuilt(name) ? url : `${url} (not built yet)`);

const formatLine = (name: string, text: string): string => `  ${name.padEnd(12)}${text}`;

const exampleCommand = (url: string, query: string): string => `
Try this:

  curl -s ${url}/graphql -H 'content-type: application/json' \\
    -d '{"query":"${query}"}'
`;

/** The text that `serve` prints when the server accepts requests: the addresses, and a first query to paste. */
export function readyMessage(options: ReadyMessageOptions): string {
  const { url, metricsUrl, nodeLabel, problem, subgraph, domainLines, devnet } = options;
  const lines: (readonly [name: string, text: string | undefined])[] = [
    ['graph', `${url}/graphql`],
    ['subgraph', subgraph?.join(', ')],
    ['playground', siteLine('playground', `${url}/`)],
    ['explorer', siteLine('explorer', `${url}/explore/`)],
    ['docs', siteLine('docs', `${url}/docs/`)],
    ['node', [devnet ? describeEmbeddedChain(devnet) : nodeLabel, problem].filter(Boolean).join(' ')],
    ['WebSocket', devnet?.nodeService.ws],
    ...domainLines,
    ['metrics', metricsUrl && `${metricsUrl}/metrics`],
    ['accounts', devnet && `${url}/#accounts`],
  ];
  // The query of a domain can select fields of another domain, which a subgraph does not have.
  const exampleQuery = subgraph ? '{ _service { sdl } }' : options.exampleQuery;
  return `grimoire ${version} ${problem === undefined ? 'is ready' : 'accepts requests, and is not ready'}

${lines.flatMap(([name, text]) => (text === undefined ? [] : [formatLine(name, text)])).join('\n')}
${exampleQuery === undefined ? '' : exampleCommand(url, exampleQuery)}`;
}

/** The text that `devnet` prints when the embedded chain accepts requests. */
export const devnetMessage = (devnet: NetworkDescription, domains: readonly Domain[]): string => `The embedded chain is ready

${formatLine('node', describeEmbeddedChain(devnet))}
${formatLine('DEVNET_URL', devnet.nodeService.origin)}
${formatLine('WebSocket', devnet.nodeService.ws)}
${domains.flatMap(({ name, embeddedParts }) => (embeddedParts ? formatLine(name, embeddedParts({ ...devnet }).url) : [])).join('\n')}
${formatLine('anvil', devnet.endpoints.http)}
${(devnet.chains ?? []).map((chain) => `${formatLine('chain', `${chain.name}, ${describeEmbeddedChain(chain)}`)}\n`).join('')}
${JSON.stringify(devnet, null, 2)}
`;

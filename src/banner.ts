import type { DevnetDescription } from './devnet/index.ts';

const CHAIN_QUERY = '{ block { number timestamp transactions { hash value from { address balance } } } }';
const WIZARDS_QUERY =
  '{ wizards(first: 3) { nodes { id power owner { address balance } createdBlock { timestamp } duels { nodes { id } } } } }';

/** What stands behind the graph, as it may be shown. */
export interface UpstreamLabels {
  readonly node: string;
  /** Undefined where there is no wizard service. */
  readonly wizards: string | undefined;
}

const describeEmbeddedChain = ({ chainId, blockTime, nodeService, landmarks }: DevnetDescription): string => {
  const pace = blockTime === null ? 'still' : `a block every ${blockTime} s`;
  return `embedded chain ${chainId} at ${nodeService.http}, ${landmarks.lastBlock} blocks of history, ${pace}`;
};

/** What a person reads when the graph is up: where everything is, and a first query to paste. */
export function readyMessage(
  version: string,
  url: string,
  labels: UpstreamLabels,
  devnet: DevnetDescription | undefined,
): string {
  const rows = [
    ['graph', `${url}/graphql`],
    ['playground', `${url}/`],
    ['node', devnet ? describeEmbeddedChain(devnet) : labels.node],
    ['WebSocket', devnet?.nodeService.ws],
    ['wizards', labels.wizards ?? 'none; WIZARDS_URL names their service'],
    ['accounts', devnet && `${url}/devnet.json`],
  ].filter(([, value]) => value !== undefined);
  return `grimoire ${version} is ready

${rows.map(([name, value]) => `  ${name!.padEnd(12)}${value}`).join('\n')}

Try this:

  curl -s ${url}/graphql -H 'content-type: application/json' \\
    -d '{"query":"${labels.wizards ? WIZARDS_QUERY : CHAIN_QUERY}"}'
`;
}

/** What a person reads when the embedded chain is up by itself. */
export const devnetMessage = (devnet: DevnetDescription): string => `The embedded chain is ready

  node        ${describeEmbeddedChain(devnet)}
  WebSocket   ${devnet.nodeService.ws}
  wizards     ${devnet.wizardService.url}
  anvil       ${devnet.endpoints.http}

${JSON.stringify(devnet, null, 2)}
`;

import type { DevnetDescription } from './devnet/index.ts';

const FIRST_QUERY = '{ block { number timestamp transactions { hash value from { address balance } } } }';

const chainOf = ({ chainId, blockTime, nodeService, landmarks }: DevnetDescription): string => {
  const pace = blockTime === null ? 'still' : `a block every ${blockTime} s`;
  return `embedded chain ${chainId} at ${nodeService.http}, ${landmarks.lastBlock} blocks of history, ${pace}`;
};

/** What a person reads when the graph is up: where everything is, and a first query to paste. */
export function readyMessage(version: string, url: string, node: string, devnet: DevnetDescription | undefined): string {
  return `grimoire ${version} is ready

  graph       ${url}/graphql
  playground  ${url}/
  node        ${devnet ? chainOf(devnet) : node}${devnet ? `\n  WebSocket   ${devnet.nodeService.ws}\n  accounts    ${url}/devnet.json` : ''}

Try this:

  curl -s ${url}/graphql -H 'content-type: application/json' \\
    -d '{"query":"${FIRST_QUERY}"}'
`;
}

/** What a person reads when the embedded chain is up by itself. */
export const devnetMessage = (devnet: DevnetDescription): string => `The embedded chain is ready

  node        ${chainOf(devnet)}
  WebSocket   ${devnet.nodeService.ws}
  anvil       ${devnet.endpoints.http}

${JSON.stringify(devnet, null, 2)}
`;

import { GraphError } from '../lib/errors.ts';
import { type CoreSettings, workerCount } from './core-settings.ts';
import { isOverNode, type SettingDefinitions } from './settings.ts';

const NODE_HINT = 'Set RPC_URL to the HTTP endpoint of the same node.';
const PORT_HINT = 'Set METRICS_PORT to another port, or leave it out: /metrics is then on PORT.';

/** Whether these settings make the graph a federation subgraph. */
export const isSubgraph = ({ DOMAIN, FEDERATED }: CoreSettings): boolean => FEDERATED === 'on' || DOMAIN.length > 0;

/** Whether the graph can serve several chains: the keys of a subgraph must name them. */
export const servesSeveralChains = (settings: CoreSettings): boolean => !isSubgraph(settings) || settings.MULTI_CHAIN === 'on';

/** Throws BAD_USER_INPUT with one line for each combination of settings that a server cannot use. */
export function checkSettings(settings: CoreSettings): void {
  const { RPC_URL, RPC_WS_URL, DEVNET_URL, PORT, METRICS_PORT, TRUSTED_DOCUMENTS, TRUSTED_DOCUMENTS_FILE, CHAINS } = settings;
  const problems = [
    RPC_URL !== undefined && DEVNET_URL !== undefined && 'RPC_URL and DEVNET_URL are both set. Set one of them.',
    RPC_WS_URL !== undefined && RPC_URL === undefined && `RPC_WS_URL is set without RPC_URL. ${NODE_HINT}`,
    workerCount(settings) > 1 &&
      !isOverNode(settings) &&
      'WORKERS needs a chain that all workers share. Set RPC_URL to a node, or DEVNET_URL to a running "grimoire devnet".',
    CHAINS !== undefined &&
      !servesSeveralChains(settings) &&
      'CHAINS is set for a federation subgraph, the keys of whose entities name no chain. Set MULTI_CHAIN to on.',
    PORT !== 0 && METRICS_PORT === PORT && `METRICS_PORT is the same as PORT. ${PORT_HINT}`,
    TRUSTED_DOCUMENTS === 'only' &&
      TRUSTED_DOCUMENTS_FILE.length === 0 &&
      'TRUSTED_DOCUMENTS is only, and there are no documents. Set TRUSTED_DOCUMENTS_FILE, too.',
  ].filter((problem) => problem !== false);
  if (problems.length > 0) throw new GraphError('BAD_USER_INPUT', problems.join('\n'));
}

/** One line for each setting that is set and has no effect. */
export const ignoredSettings = (definitions: SettingDefinitions, values: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(definitions).flatMap(([name, { ignoredFor }]) => {
    const reason = [values[name] ?? []].flat().length > 0 && ignoredFor?.(values);
    return reason ? [`${name} is ignored: ${reason}`] : [];
  });

import { GraphError } from '../lib/errors.ts';
import type { CoreSettings } from './core-settings.ts';

/** Combinations of settings that a server cannot use, each with its error. */
const CONFLICTS: readonly (readonly [isConflict: (settings: CoreSettings) => boolean, message: string])[] = [
  [
    ({ RPC_URL, DEVNET_URL }) => RPC_URL !== undefined && DEVNET_URL !== undefined,
    'RPC_URL and DEVNET_URL are both set. Set one of them.',
  ],
  [
    ({ RPC_URL, RPC_WS_URL }) => RPC_WS_URL !== undefined && RPC_URL === undefined,
    'RPC_WS_URL is set without RPC_URL. Set RPC_URL to the HTTP endpoint of the same node.',
  ],
  [
    ({ PORT, METRICS_PORT }) => PORT !== 0 && METRICS_PORT === PORT,
    'METRICS_PORT is the same as PORT. Set METRICS_PORT to another port, or leave it out: /metrics is then on PORT.',
  ],
];

/** Throws BAD_USER_INPUT with one line for each combination of settings that a server cannot use. */
export function checkSettings(settings: CoreSettings): void {
  const problems = CONFLICTS.filter(([isConflict]) => isConflict(settings)).map(([, message]) => message);
  if (problems.length > 0) throw new GraphError('BAD_USER_INPUT', problems.join('\n'));
}

/** The values of the settings of the core, of all domains and of `mcp`. */
type Values = Readonly<Record<string, unknown>>;

const isOverNode = ({ RPC_URL, DEVNET_URL }: Values): boolean => RPC_URL !== undefined || DEVNET_URL !== undefined;
const hasNoWizardsUrl = ({ WIZARDS_URL }: Values): boolean => WIZARDS_URL === undefined;

/** When a setting has no effect, and why. */
const IGNORED: Readonly<Record<string, readonly [isIgnored: (values: Values) => boolean, reason: string]>> = {
  DATA_DIR: [isOverNode, 'only the embedded chain uses it, and RPC_URL or DEVNET_URL is set'],
  WEBHOOK_AUTH_TOKENS: [
    (values) => values.DATABASE_URL === undefined && isOverNode(values),
    'a server over a node has no webhooks without DATABASE_URL',
  ],
  WIZARDS_API_TOKEN: [hasNoWizardsUrl, 'WIZARDS_URL is unset'],
  WIZARDS_EMAIL: [hasNoWizardsUrl, 'WIZARDS_URL is unset'],
  WIZARDS_CHAIN_ID: [hasNoWizardsUrl, 'WIZARDS_URL is unset'],
  METRICS_PORT: [({ GRAPH_URL }) => GRAPH_URL !== undefined, 'the server at GRAPH_URL serves its own metrics'],
};

/** One line for each setting that is set and has no effect. */
export const ignoredSettings = (values: Values): readonly string[] =>
  Object.entries(IGNORED).flatMap(([name, [isIgnored, reason]]) => {
    const isSet = [values[name] ?? []].flat().length > 0;
    return isSet && isIgnored(values) ? [`${name} is ignored: ${reason}`] : [];
  });

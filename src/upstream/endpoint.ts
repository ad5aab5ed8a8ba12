import { GraphError } from '../errors.ts';

/** Where a node is and how to address it; only `label` may ever be shown, the rest can carry a key. */
export interface Endpoint {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Scheme, host and port: enough to know which node is meant. */
  readonly label: string;
  /** Whether to ask for compressed answers: over a network that is a gain, from the next process a loss. */
  readonly compressed: boolean;
}

/** Takes an HTTP endpoint apart; a user name and a password in it become Basic authentication. */
export const parseEndpoint = (text: string): Endpoint =>
  parseEndpointUrl(text, 'http', 'A node endpoint is an http:// or https:// URL.');

/** The same for the endpoint of a WebSocket. */
export const parseWebSocketEndpoint = (text: string): Endpoint =>
  parseEndpointUrl(text, 'ws', 'A node endpoint for subscriptions is a ws:// or wss:// URL.');

function parseEndpointUrl(text: string, scheme: 'http' | 'ws', advice: string): Endpoint {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const secure = url?.protocol === `${scheme}s:`;
  if (!url || (!secure && url.protocol !== `${scheme}:`)) throw new GraphError('BAD_USER_INPUT', advice);
  const user = percentDecode(url.username);
  const basic = Buffer.from(`${user}:${percentDecode(url.password)}`).toString('base64');
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    headers: user === '' && url.password === '' ? {} : { authorization: `Basic ${basic}` },
    label: url.origin,
    compressed: secure,
  };
}

/** Percent-decoded, or as it stands where a percent sign encodes nothing. */
const percentDecode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** What is shorter is a word such as "v2", "mainnet" or "1", and masking those would garble everything. */
const MIN_SECRET_LENGTH = 8;

/**
 * The parts of a URL that can carry a key: user, password, both as Basic authentication joins them, and the longer query
 * values and segments of the path. Each as written and decoded; none for a text that is no URL.
 */
export function secretsIn(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { username, password, pathname, search } = new URL(text);
  const segments = pathname.split('/').filter((segment) => segment.length >= MIN_SECRET_LENGTH);
  const values = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1))
    .filter((value) => value.length >= MIN_SECRET_LENGTH);
  const both = password === '' ? '' : `${username}:${password}`;
  const raw = [username, password, both, ...segments, ...values].filter((part) => part !== '');
  return [...new Set([...raw, ...raw.map(percentDecode), ...values.map((value) => percentDecode(value.replaceAll('+', ' ')))])];
}

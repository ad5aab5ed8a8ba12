import { GraphError } from './errors.ts';
import { parseUrl } from './urls.ts';

/** Parses an HTTP endpoint. A user name and a password become Basic authentication. Throws BAD_USER_INPUT. */
export const parseEndpoint = (text: string) =>
  parseEndpointUrl(text, 'http', 'Invalid endpoint. Pass an http:// or https:// URL.');

export type Endpoint = ReturnType<typeof parseEndpointUrl>;

/** Parses a WebSocket endpoint like `parseEndpoint`. */
export const parseWebSocketEndpoint = (text: string) =>
  parseEndpointUrl(text, 'ws', 'Invalid node endpoint for subscriptions. Pass a ws:// or wss:// URL.');

/** Parses the address of an upstream. Only `label` of the result may be shown; the other parts can contain a key. */
function parseEndpointUrl(text: string, scheme: 'http' | 'ws', message: string) {
  const url = parseUrl(text);
  const isSecure = url?.protocol === `${scheme}s:`;
  if (!url || (!isSecure && url.protocol !== `${scheme}:`)) throw new GraphError('BAD_USER_INPUT', message);
  const user = percentDecode(url.username);
  const basic = Buffer.from(`${user}:${percentDecode(url.password)}`).toString('base64');
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    headers: (user === '' && url.password === '' ? {} : { authorization: `Basic ${basic}` }) as Readonly<Record<string, string>>,
    /** Scheme, host and port. */
    label: url.origin,
    /**
     * Whether to request compressed responses: true for TLS. Without TLS the upstream is usually local, and compression
     * costs more time than it saves.
     */
    compressed: isSecure,
  };
}

/** Decodes percent-encoding; returns a text with an invalid encoding unchanged. */
const percentDecode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Shorter parts are common words such as "v2", "mainnet" or "1"; masking such words would make logs unreadable. */
const MIN_SECRET_LENGTH = 8;

/** A shorter password or token protects nothing, and masking it would make logs unreadable. */
export const MIN_PASSWORD_LENGTH = 6;

/**
 * Lists the parts of a URL that can contain a key: the password, user and password as in Basic authentication, and the user, query values and
 * path segments of at least MIN_SECRET_LENGTH characters. User and path of a database are names, not keys. A short password is masked only
 * beside its user, also as in Basic authentication. Returns each part as written and decoded; an empty list for a text that is no URL.
 */
export function secretsIn(text: string): string[] {
  const url = parseUrl(text);
  if (!url) return [];
  const { username, password, pathname, search, protocol } = url;
  const names = protocol.startsWith('postgres') ? [] : [username, ...pathname.split('/')];
  const values = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1))
    .filter((value) => value.length >= MIN_SECRET_LENGTH);
  const credentials = `${username}:${password}`;
  const basic = Buffer.from(percentDecode(credentials)).toString('base64');
  const raw = [
    ...(password === '' ? [] : [`${credentials}@`, basic]),
    ...(password.length < MIN_PASSWORD_LENGTH ? [] : [password, credentials]),
    ...names.filter((name) => name.length >= MIN_SECRET_LENGTH),
    ...values,
  ];
  return [...new Set([...raw, ...raw.map(percentDecode), ...values.map((value) => percentDecode(value.replaceAll('+', ' ')))])];
}

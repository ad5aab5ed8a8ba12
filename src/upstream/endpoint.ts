import { GraphError } from '../errors.ts';

/** Where a node is and how to address it; only `label` may ever be shown, the rest can carry a key. */
export interface Endpoint {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Scheme, host and port: enough to know which node is meant. */
  readonly label: string;
}

/** Takes an HTTP endpoint apart; a user name and a password in it become Basic authentication. */
export function toEndpoint(text: string): Endpoint {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new GraphError('BAD_USER_INPUT', 'A node endpoint is an http:// or https:// URL.');
  }
  const user = decodeURIComponent(url.username);
  const basic = Buffer.from(`${user}:${decodeURIComponent(url.password)}`).toString('base64');
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    headers: user === '' && url.password === '' ? {} : { authorization: `Basic ${basic}` },
    label: url.origin,
  };
}

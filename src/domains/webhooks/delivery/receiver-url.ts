import { isIP } from 'node:net';
import { isStorable } from '../../../database/statements.ts';
import { GraphError } from '../../../lib/errors.ts';
import { parseUrl } from '../../../lib/urls.ts';
import { addressOfHost, isPublicAddress } from './receiver-address.ts';

/** Which URLs may receive deliveries. */
export interface ReceiverUrlOptions {
  /** Whether receivers inside the network, http URLs and any port are permitted. For development. */
  readonly allowsPrivate: boolean;
  /** URLs that are permitted without a check: the URL of the embedded receiver. */
  readonly exempt: ReadonlySet<string>;
  /** Ports of https receivers. @default 443 and 8443 */
  readonly ports?: ReadonlySet<string>;
}

const ALLOW_PRIVATE = ', or set WEBHOOK_ALLOW_PRIVATE for development';

export const MAX_URL_LENGTH = 2_048;

/** The URL parser leaves out the port 443. */
const HTTPS_PORTS: ReadonlySet<string> = new Set(['', '8443']);

/** Top-level names that are resolved inside a network (RFC 6761, RFC 6762, RFC 8375) or are in use there. */
const INTERNAL_NAME = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/;

/**
 * Checks the URL of a receiver. The parser of WHATWG decides what the host is, as it does when the delivery connects: decimal, octal, hexadecimal
 * and short IPv4 addresses, percent-encoding and full-width characters are normalised before the checks. Throws BAD_USER_INPUT. The address
 * behind a name is checked at each attempt, since it can change.
 */
export function checkReceiverUrl(url: string, rules: ReceiverUrlOptions): void {
  if (rules.exempt.has(url)) return;
  const problem = problemOf(url, rules);
  if (problem) throw new GraphError('BAD_USER_INPUT', `Invalid \`input.url\`: ${problem}.`);
}

function problemOf(text: string, { allowsPrivate, ports = HTTPS_PORTS }: ReceiverUrlOptions): string | undefined {
  if (text.length > MAX_URL_LENGTH) return `it is longer than ${MAX_URL_LENGTH} characters`;
  if (!isStorable(text)) return 'it contains U+0000 or a lone surrogate. Pass an https:// URL';
  const url = parseUrl(text);
  if (!url) return 'it is not a URL. Pass an https:// URL';
  const { protocol, username, password, port, hostname } = url;
  if (protocol !== 'https:' && !(allowsPrivate && protocol === 'http:'))
    return 'its scheme is not https. Pass an https:// URL, or with WEBHOOK_ALLOW_PRIVATE an http:// URL';
  // "//user@" without a name and "//:@" are absent from the parsed URL.
  if (username !== '' || password !== '' || authorityOf(text).includes('@'))
    return 'it contains a user name. Pass a URL without one';
  if (allowsPrivate) return undefined;
  if (!ports.has(port)) return `its port is neither 443 nor 8443. Pass one of these${ALLOW_PRIVATE}`;
  const host = addressOfHost(hostname);
  if (isIP(host)) return isPublicAddress(host) ? undefined : `its address is not public. Pass a public host${ALLOW_PRIVATE}`;
  return isPublicName(host) ? undefined : `its host is not public. Pass a public host${ALLOW_PRIVATE}`;
}

/** A backslash ends the authority, as a slash does. */
const authorityOf = (url: string): string => url.split(/^[^:]*:[\\/\s]*/)[1]?.split(/[\\/?#]/)[0] ?? '';

function isPublicName(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  const labels = name.split('.');
  return (
    labels.length > 1 &&
    labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)) &&
    !INTERNAL_NAME.test(name)
  );
}

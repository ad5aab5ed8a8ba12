import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIPv4, isIPv6, type Socket } from 'node:net';

/**
 * Returns the address by which a client is counted: an IPv4 address, the /64 network of an IPv6 address, or `loopback`. Undefined if the
 * client's own address is unknown.
 */
export type ClientAddressReader = (peer: Pick<Socket, 'remoteAddress'>, headers: IncomingHttpHeaders) => string | undefined;

/** Header with which a proxy inside this process proves its identity: a secret of the process. */
export const OWN_PROXY_HEADER = 'x-grimoire-own-proxy';

/**
 * Creates a reader that trusts the header `x-forwarded-for` of the proxies in this list of addresses and CIDR ranges,
 * and of a proxy that sends this secret.
 */
export function createClientAddressReader(trustedProxies: readonly string[], ownProxySecret?: string): ClientAddressReader {
  const isProxy = createProxyCheck(trustedProxies);
  const isOwnProxy = (headers: IncomingHttpHeaders): boolean =>
    ownProxySecret !== undefined && headers[OWN_PROXY_HEADER] === ownProxySecret;
  return ({ remoteAddress = '' }, headers) => {
    const peer = normalizeAddress(remoteAddress);
    if (peer === undefined) return undefined;
    if (!isForwarded(headers)) return countedAddress(peer);
    // Anyone can send the header: all clients of an unlisted proxy share its address, and the reported addresses may be
    // forged.
    if (!isProxy(peer) && !isOwnProxy(headers)) return undefined;
    const addresses = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((entry) => normalizeAddress(withoutPort(entry.trim())));
    // Each proxy appends its peer, so that only the addresses from the right up to the first untrusted address are
    // reliable.
    const client = addresses.findLast((address) => address === undefined || !isProxy(address));
    return client && countedAddress(client);
  };
}

/** Creates the check whether a request comes from a listed proxy on its own behalf: it is a router, whose clients are named by each operation. */
export function createRouterCheck(trustedProxies: readonly string[]) {
  const isProxy = createProxyCheck(trustedProxies);
  return ({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>, headers: IncomingHttpHeaders): boolean =>
    !isForwarded(headers) && isProxy(normalizeAddress(remoteAddress) ?? '');
}

/** The peer of a connection, counted as a client with the address of the peer; `unknown` after a disconnect. */
export function peerAddressOf({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  const peer = normalizeAddress(remoteAddress);
  return peer === undefined ? 'unknown' : countedAddress(peer);
}

/** Creates the check whether a normalised address is in a list of addresses and CIDR ranges. */
function createProxyCheck(entries: readonly string[]): (address: string) => boolean {
  const proxies = new BlockList();
  for (const entry of entries) {
    const [text = '', prefix] = entry.split('/');
    const address = normalizeAddress(text) ?? text;
    if (prefix === undefined) proxies.addAddress(address, familyOf(address));
    // As it is written: the prefix of a range of IPv4-mapped addresses counts the bits of IPv6.
    else proxies.addSubnet(text, Number(prefix), familyOf(text));
  }
  return (address) => proxies.check(address, familyOf(address));
}

/** Whether a proxy has added the address of its client. */
const isForwarded = (headers: IncomingHttpHeaders): boolean =>
  headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

/** Removes the port that some proxies add: `192.0.2.1:50000`, `[2001:db8::1]:50000`. */
const withoutPort = (text: string): string => text.replace(/^\[([^\]]*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');

/** Returns an address in its shortest form, without a zone, and an IPv4-mapped IPv6 address as IPv4; undefined if it is invalid. */
function normalizeAddress(text: string): string | undefined {
  const address = text.replace(/%.*$/s, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  if (isIPv4(address)) return address;
  return isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : undefined;
}

/** The key of a normalised address. An IPv6 client usually has a whole /64 network. */
function countedAddress(address: string): string {
  if (address === '::1' || address.startsWith('127.')) return 'loopback';
  if (isIPv4(address)) return address;
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

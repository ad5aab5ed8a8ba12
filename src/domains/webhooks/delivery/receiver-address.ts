import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Ranges that contain no public receivers: the IANA registries of special-purpose addresses of IPv4, and of IPv6 inside
 * 2000::/3, multicast, and the ranges that were special-purpose in the past. All other IPv6 addresses are refused.
 */
const SPECIAL_RANGES: readonly string[] = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // host agent of a cloud, reachable only from inside
  '169.254.0.0/16', // link-local, metadata of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relay
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '2001::/23', // protocol assignments, Teredo, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
];

/** Resolves all addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

/** Resolves a name as other programs of this host do. A name that is not answered holds a thread of the pool for many seconds. */
export const lookupName: ResolveName = (name) => lookup(name, { all: true, verbatim: true });

/**
 * Resolves a public name at the name servers of this host without a thread, so that names without an answer do not delay others. Rejects if neither
 * family has an address.
 */
export async function queryName(
  name: string,
  resolver = new Resolver({ timeout: 5_000, tries: 2 }),
): Promise<readonly LookupAddress[]> {
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addressesOf = (result: PromiseSettledResult<string[]>, family: number) =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
  const addresses = [...addressesOf(ipv4, 4), ...addressesOf(ipv6, 6)];
  if (addresses.length === 0 && ipv4.status === 'rejected') throw ipv4.reason;
  return addresses;
}

/** The addresses of a receiver are not all public. */
export class PrivateAddressError extends Error {}

const blocked = new BlockList();
for (const range of SPECIAL_RANGES) {
  const [network, prefix] = range.split('/') as [string, string];
  blocked.addSubnet(network, Number(prefix), isIP(network) === 6 ? 'ipv6' : 'ipv4');
}
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** The marks of an IPv6 address that embeds an IPv4 address in its interface id (ISATAP, RFC 5214). */
const ISATAP = /(?:^|:)(?:0|200)?:5efe:[0-9a-f:.]+$/;

/**
 * Whether an address is unicast and of the public network. False for everything that is not an address, and for IPv6 addresses that contain an
 * IPv4 address (mapped, compatible, NAT64, 6to4, Teredo), because a network can route them to that address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !blocked.check(address, 'ipv4');
  // A zone selects an interface of this host.
  const isGlobal = isIP(address) === 6 && !address.includes('%') && globalUnicast.check(address, 'ipv6');
  return isGlobal && !blocked.check(address, 'ipv6') && !ISATAP.test(address);
}

/** The host of a parsed URL as a name or an address, without the brackets of IPv6. */
export const addressOfHost = (hostname: string): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);

/**
 * Resolves the addresses of a host, once. Rejects with PrivateAddressError if any of them is not public: a name with
 * public and private addresses is an attempt to reach the private address.
 */
export async function resolveReceiver(hostname: string, permitsPrivate: boolean, resolve: ResolveName) {
  const host = addressOfHost(hostname);
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0) throw new Error('the name has no address');
  if (!permitsPrivate && !addresses.every(({ address }) => isPublicAddress(address))) throw new PrivateAddressError();
  return addresses;
}

/** A lookup for a socket that returns the checked addresses, so that the socket does not resolve the name again. */
export const pinnedLookup =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_hostname, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };

import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Ranges that are no public receivers: the IANA registries of special-purpose addresses of IPv4 and IPv6, multicast, and the ranges that were
 * special before. IPv6 outside of 2000::/3 is refused without an entry here; it is listed for readers.
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
  '::/96', // unspecified, loopback, IPv4-compatible
  '::ffff:0:0/96', // IPv4-mapped
  '::ffff:0:0:0/96', // IPv4-translated
  '64:ff9b::/96', // NAT64
  '64:ff9b:1::/48', // NAT64 of a network
  '100::/64', // discard
  '100:0:0:1::/64', // dummy prefix
  '2001::/23', // protocol assignments, Teredo, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
  'fc00::/7', // unique local
  'fe80::/10', // link-local
  'fec0::/10', // site-local
  'ff00::/8', // multicast
];

export interface ReceiverAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves all addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly ReceiverAddress[]>;

export const resolveName: ResolveName = (name) => lookup(name, { all: true, verbatim: true });

/** The addresses of a receiver are not all public. */
export class PrivateAddressError extends Error {}

// One list for each family: in a common one the range of IPv4-mapped addresses covers every IPv4 address.
const blocked = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const range of SPECIAL_RANGES) {
  const [network, prefix] = range.split('/') as [string, string];
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  blocked[family].addSubnet(network, Number(prefix), family);
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
  switch (isIP(address)) {
    case 4:
      return !blocked.ipv4.check(address, 'ipv4');
    case 6:
      // A zone selects an interface of this host.
      return (
        !address.includes('%') &&
        globalUnicast.check(address, 'ipv6') &&
        !blocked.ipv6.check(address, 'ipv6') &&
        !ISATAP.test(address)
      );
    default:
      return false;
  }
}

/** The host of a parsed URL as a name or an address, without the brackets of IPv6. */
export const addressOfHost = (hostname: string): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);

/**
 * Resolves the addresses of a host, once. Rejects with PrivateAddressError if any of them is not public: a name with both kinds is an attempt to
 * reach the private one.
 */
export async function resolveReceiver(
  hostname: string,
  { permitsPrivate, resolve }: { readonly permitsPrivate: boolean; readonly resolve: ResolveName },
): Promise<readonly ReceiverAddress[]> {
  const host = addressOfHost(hostname);
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0) throw new Error('the name has no address');
  if (!permitsPrivate && !addresses.every(({ address }) => isPublicAddress(address))) throw new PrivateAddressError();
  return addresses;
}

/** A lookup for a socket that returns addresses which are checked, so that the name is not resolved again. */
export const pinnedLookup =
  (addresses: readonly ReceiverAddress[]): LookupFunction =>
  (_hostname, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };

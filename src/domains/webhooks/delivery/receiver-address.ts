import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { SPECIAL_RANGES } from './special-ranges.ts';

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

/**
 * Parses an absolute URL; undefined for any other text. Replaces `URL.canParse`, which in Node 20 rejects texts with
 * Latin-1 characters after many calls.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Host names of this machine. `*.localhost` is reserved (RFC 6761), so no web page can be served from it. */
const LOOPBACK_HOST = /^(?:(?:[^.]+\.)*localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Addresses that mean "every interface"; no request has such an address as Host. */
const WILDCARD_ADDRESSES: readonly string[] = ['0.0.0.0', '::'];

/** Returns whether a Host header is accepted. */
export type HostCheck = (host: string | undefined) => boolean;

/** Returns the host name of a Host header in lower case, without the port; undefined when the header is invalid. */
const hostNameOf = (host: string): string | undefined => parseUrl(`http://${host}`)?.hostname;

/**
 * Creates a check that accepts loopback names and the `allowed` ones, on any port, as a protection against DNS
 * rebinding: a page of another site that reaches this machine sends the name of that site as Host. Browsers always send
 * Host, so requests without it are accepted. Without `allowed`, it accepts every valid name.
 */
export function createHostCheck(allowed?: readonly string[]): HostCheck {
  const names = allowed && new Set(allowed.map(hostNameOf));
  // Most requests have the same host, and parsing it takes a hundredth of the time of a small one.
  let accepted: string | undefined;
  return (host) => {
    if (host === undefined || host === accepted) return true;
    const name = hostNameOf(host);
    if (name === undefined || (names && !LOOPBACK_HOST.test(name) && !names.has(name))) return false;
    accepted = host;
    return true;
  };
}

/** Returns the host name under which a server on `address` is reached; empty for a wildcard address. */
export const listenHostNames = (address: string): readonly string[] =>
  WILDCARD_ADDRESSES.includes(address) ? [] : [address.includes(':') ? `[${address}]` : address];

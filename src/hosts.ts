/** Names and addresses that lead to this machine alone. `*.localhost` is reserved (RFC 6761), so no page on the web can be served from it. */
const LOOPBACK_HOST = /^(?:(?:[^.]+\.)*localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Addresses that mean "every interface", which no request names. */
const WILDCARD_ADDRESSES: readonly string[] = ['0.0.0.0', '::'];

/** Whether a request with this Host header may be served. */
export type HostCheck = (host: string | undefined) => boolean;

/** The host name of a Host header in lower case and without its port; undefined when it names no host. */
export const hostNameOf = (host: string): string | undefined =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;

/**
 * Accepts loopback names and the `allowed` ones, on any port. With DNS rebinding a web page reaches this machine under the page's own
 * name, which the browser sends as Host. No browser leaves Host out, so a request without it is accepted.
 */
export function createHostCheck(allowed: readonly string[]): HostCheck {
  const names = new Set(allowed.map(hostNameOf));
  return (host) => {
    if (host === undefined) return true;
    const name = hostNameOf(host);
    return name !== undefined && (LOOPBACK_HOST.test(name) || names.has(name));
  };
}

/** The name that a server listening on `address` can be reached by; none for a wildcard. */
export const listenHostNames = (address: string): readonly string[] =>
  WILDCARD_ADDRESSES.includes(address) ? [] : [address.includes(':') ? `[${address}]` : address];

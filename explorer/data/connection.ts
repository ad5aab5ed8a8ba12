/** The state of the server and of its node, as the page sees it. */
export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** The server responds; its node does not. `since` is the last sign of the node, in milliseconds since 1970. */
  | { readonly kind: 'node'; readonly since: number }
  /** The WebSocket is lost, or the server does not respond. `retryAt` is the time of the next attempt; null while an attempt is running. */
  | { readonly kind: 'server'; readonly since: number; readonly retryAt: number | null };

/** What is known about the connection. Times are in milliseconds since 1970. */
export interface ConnectionFacts {
  /** Null until the first connection or its failure. */
  readonly isConnected: boolean | null;
  /** Time at which the WebSocket was lost. */
  readonly lostAt: number;
  readonly retryAt: number | null;
  /** Whether the node has given a sign since the page was opened. */
  readonly hasResponded: boolean;
  /** Last sign of the node before its first failure; null while it responds. */
  readonly nodeSilentSince: number | null;
  /** Whether the server does not respond, either, although the WebSocket is open. */
  readonly isServerSilent: boolean;
}

export function connectionOf(facts: ConnectionFacts): Connection {
  const { isConnected, lostAt, retryAt, hasResponded, nodeSilentSince, isServerSilent } = facts;
  if (isConnected === false) return { kind: 'server', since: lostAt, retryAt };
  if (nodeSilentSince !== null && isServerSilent) return { kind: 'server', since: nodeSilentSince, retryAt: null };
  if (nodeSilentSince !== null) return { kind: 'node', since: nodeSilentSince };
  return { kind: isConnected && hasResponded ? 'live' : 'connecting' };
}

const secondsTo = (from: number, to: number): number => Math.max(0, Math.round((to - from) / 1000));

/** The state in words, and details that change every second. */
export function describeConnection(connection: Connection, now: number, block: string | null): [state: string, detail: string] {
  switch (connection.kind) {
    case 'connecting':
      return ['connecting', ''];
    case 'live':
      return ['live', block ?? ''];
    case 'node':
      return ['node not responding', [`since ${secondsTo(connection.since, now)} s`, block].filter(Boolean).join(', ')];
    case 'server': {
      const left = connection.retryAt === null ? 0 : secondsTo(now, connection.retryAt);
      return ['server unreachable', left > 0 ? `reconnecting in ${left} s` : 'reconnecting'];
    }
  }
}

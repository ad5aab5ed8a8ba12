import type { IncomingHttpHeaders } from 'node:http';
import type { FailureLog } from '../../graphql/pipeline/failure-log.ts';

/** What refused origins are written to. */
export interface OriginLog extends FailureLog {
  warn(detail: object, message: string): void;
}

/** Refused origins that are logged. A client that is no browser can send any number of others. */
const MAX_LOGGED_ORIGINS = 100;
const MAX_LOGGED_ORIGIN_LENGTH = 256;

/** The origins of web pages that may use this server, over HTTP, WebSocket and event streams alike. */
export class OriginPolicy {
  readonly allowed: readonly string[];
  readonly #log: OriginLog;
  readonly #logged = new Set<string>();

  constructor(allowed: readonly string[], log: OriginLog) {
    this.allowed = allowed;
    this.#log = log;
  }

  /** Whether the page that sent a request may use this server. Logs each refused origin once. */
  accept({ origin, host }: IncomingHttpHeaders): boolean {
    if (isAllowedOrigin(origin, host, this.allowed)) return true;
    const refused = origin!.slice(0, MAX_LOGGED_ORIGIN_LENGTH);
    if (this.#logged.size < MAX_LOGGED_ORIGINS && !this.#logged.has(refused)) {
      this.#logged.add(refused);
      this.#log.warn({ origin: refused }, 'refused web pages of this origin; CORS_ORIGINS lists the origins that are allowed');
    }
    return false;
  }
}

/**
 * Whether a page of this origin may use a server of this host: its own pages may, and those whose origin is listed. `<scheme>://<host>:*`
 * in the list allows every port. A client that sends no origin is not a page of another one, see `isOwnPage`.
 */
export function isAllowedOrigin(origin: string | undefined, host: string | undefined, allowed: readonly string[]): boolean {
  if (origin === undefined || allowed.includes('*') || allowed.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  if (page.host === '') return false;
  return allowed.includes(`${page.protocol}//${page.hostname}:*`) || page.host === normalizeHost(page.protocol, host);
}

/** A Host header as URLs have it, without the default port of the protocol; undefined when it names no host. */
export const normalizeHost = (protocol: string, host: string | undefined): string | undefined =>
  host !== undefined && URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`).host : undefined;

/**
 * Whether a request without an Origin header certainly does not come from a page of another origin. Browsers say so in headers that no page
 * can set; a cross-origin request in mode `cors` would have an Origin. Node's `fetch` sends the mode alone.
 */
export const isSameOriginRequest = ({ 'sec-fetch-site': site, 'sec-fetch-mode': mode }: IncomingHttpHeaders): boolean =>
  site === undefined ? mode === 'cors' : site === 'same-origin';

import type { IncomingHttpHeaders } from 'node:http';
import type { GraphQLFormattedError } from 'graphql';
import { isNullish } from '../../ethereum/block-results.ts';
import { asGraphQLError } from '../../graphql/format-error.ts';
import { GraphError } from '../../lib/errors.ts';
import { createHostCheck, parseUrl } from '../../lib/urls.ts';
import type { Caller } from '../../operation/operation.ts';
import { missingCallerError } from '../../operation/request-checks.ts';
import { formatRequestErrors } from '../../operation/response.ts';
import type { ApiKeys } from './api-keys.ts';

/** Maximum delay of a timer of Node; a timer with a longer delay fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls a function when the identity of a caller expires. Returns a function that cancels it. */
export function onExpiry(caller: Caller | undefined, expire: () => void): (() => void) | undefined {
  const { expiresAt } = caller ?? {};
  if (expiresAt === undefined) return undefined;
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    const waitMs = Math.max(0, expiresAt - Date.now());
    timer = setTimeout(waitMs > MAX_TIMER_MS ? schedule : expire, Math.min(waitMs, MAX_TIMER_MS));
  };
  schedule();
  return () => clearTimeout(timer);
}

/** The errors that end an event stream when the token of its caller has expired. */
export const identityExpiredErrors = (requestId: string): GraphQLFormattedError[] =>
  formatRequestErrors([asGraphQLError(unauthenticated('The token has expired. Subscribe again with a new one.'))], requestId);

/** The parts of a request that identify its sender. */
export interface CallerRequest {
  readonly headers: IncomingHttpHeaders;
  /** Address of the peer of the connection. */
  readonly remoteAddress: string | undefined;
  /** Payload of `connection_init`, whose credentials have precedence over the credentials in the headers. */
  readonly connectionParams?: Readonly<Record<string, unknown>> | undefined;
  /** The connection of the router that sends the request for its client. */
  readonly openedBy?: { readonly caller: Caller | undefined } | undefined;
}

/**
 * Resolves with the caller of a request; undefined for a client without credentials. Rejects with UNAUTHENTICATED for
 * credentials that are not accepted, or are missing although a caller is required, and with UPSTREAM_UNAVAILABLE while
 * the keys that verify tokens cannot be read.
 */
export type CallerReader = (request: CallerRequest) => Promise<Caller | undefined>;

export interface CallerReaderOptions {
  /** Undefined without API_KEYS. */
  readonly apiKeys?: ApiKeys | undefined;
  /** Verifies JSON Web Tokens; undefined without JWT_JWKS_URL. */
  readonly verifyToken?: ((token: string) => Promise<Caller>) | undefined;
  /** Whether a request without credentials is rejected. @default false */
  readonly isRequired?: boolean | undefined;
  /** Address that the server listens on. */
  readonly host: string;
}

/** The settings by which callers identify themselves. */
export type CallerSettings = Omit<CallerReaderOptions, 'host'>;

/** Headers that proxies and tunnels add: a request through a proxy on this machine comes from loopback, too. */
const FORWARDING_HEADER = /^(?:forwarded|via|x-forwarded(?:-.+)?|x-original-.+|x-real-ip|(?:.+-)?(?:client|connecting)-?ip)$/;

const LOOPBACK_PEER = /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/;

const isLoopbackHost = createHostCheck([]);

/** The caller on this machine of a server without keys. */
const LOCAL_CALLER: Caller = { app: undefined };

const JSON_WEB_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Creates the reader of callers. Without API keys and tokens, every client on this machine is a caller if the server listens on loopback alone. */
export function createCallerReader({ apiKeys, verifyToken, isRequired = false, host }: CallerReaderOptions): CallerReader {
  const hasCredentials = apiKeys !== undefined || verifyToken !== undefined;
  const isLocalServer = host !== '' && isLoopbackHost(host.includes(':') ? `[${host}]` : host);
  const isLocal = ({ headers, remoteAddress }: CallerRequest): boolean =>
    isLocalServer &&
    remoteAddress !== undefined &&
    LOOPBACK_PEER.test(remoteAddress) &&
    isLoopbackHost(headers.host) &&
    // CORS_ORIGINS may allow pages of any site to read the chain; their users did not permit these pages to read
    // webhook events.
    (headers.origin === undefined || isLoopbackHost(parseUrl(headers.origin)?.host ?? ''));

  return async (request) => {
    if (!hasCredentials) {
      const { headers, openedBy } = request;
      const isForwarded = Object.keys(headers).some((name) => FORWARDING_HEADER.test(name));
      const isLocalPeer = openedBy ? openedBy.caller !== undefined : isLocal(request);
      return isLocalPeer && !isForwarded ? LOCAL_CALLER : undefined;
    }
    const credential = credentialOf(request);
    if (credential === undefined) {
      if (isRequired) throw missingCallerError('Every operation of this server');
      return undefined;
    }
    const app = apiKeys?.appOf(credential);
    if (app !== undefined) return { app };
    if (!verifyToken || !JSON_WEB_TOKEN.test(credential))
      throw unauthenticated('The API key or token is not accepted. Send one that was issued for this server.');
    const caller = await verifyToken(credential);
    // The issuer of tokens, or a user who chooses a name there, must not become an application whose identity is a key.
    if (caller.app === undefined || !apiKeys?.apps.has(caller.app)) return caller;
    throw unauthenticated('The token names an application that has an API key. Send the key, or a token with another name.');
  };
}

const unauthenticated = (message: string): GraphError => new GraphError('UNAUTHENTICATED', message);

/**
 * The key or token of a request; undefined without one. Throws UNAUTHENTICATED for another scheme, and for two
 * different credentials.
 */
function credentialOf({ headers, connectionParams }: CallerRequest): string | undefined {
  return credentialIn(headersOf(connectionParams ?? {})) ?? credentialIn(headers);
}

/**
 * Returns fields of a message as headers, with names in lower case. Different values whose names differ by case alone become a list, which is
 * no credential.
 */
export function headersOf(fields: object): Readonly<Record<string, unknown>> {
  const headers = new Map<string, unknown>();
  for (const [given, value] of Object.entries(fields)) {
    const name = given.toLowerCase();
    const other = headers.get(name) ?? value;
    headers.set(name, isNullish(value) || value === other ? other : [other, value]);
  }
  return Object.fromEntries(headers);
}

function credentialIn(fields: Readonly<Record<string, unknown>>): string | undefined {
  // Null counts as absent, because clients serialize an unset variable as null.
  const authorization = fields.authorization ?? undefined;
  const apiKey = fields['x-api-key'] ?? undefined;
  const bearer = typeof authorization === 'string' ? /^bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
  if (authorization !== undefined && bearer === undefined)
    throw unauthenticated('The header authorization is not accepted. Send "Bearer", a space, and a key or a token.');
  if (apiKey !== undefined && typeof apiKey !== 'string')
    throw unauthenticated('x-api-key is not a text. Send the key as a text.');
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey)
    throw unauthenticated('authorization and x-api-key have different keys. Send one of them.');
  return bearer ?? apiKey;
}

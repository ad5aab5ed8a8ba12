import type { Logger } from 'pino';
import type { CoreSettings } from '../config/core-settings.ts';
import { readTrustedDocuments } from '../config/trusted-documents-file.ts';
import { GraphError } from '../lib/errors.ts';
import { createHostCheck, listenHostNames } from '../lib/urls.ts';
import { parseApiKeys } from '../server/callers/api-keys.ts';
import type { CallerSettings } from '../server/callers/caller-reader.ts';
import type { NetworkDescription } from './network.ts';

/** Origins that may use the embedded chain unless CORS_ORIGINS is set: pages in development on this machine. */
const LOOPBACK_ORIGINS: readonly string[] = ['http://localhost:*', 'http://127.0.0.1:*', 'http://[::1]:*'];

/** The options of the server that follow from its settings. `processes`: the number of processes of the server. */
export function serverOptions(settings: CoreSettings, devnet: NetworkDescription | undefined, processes: number) {
  const { HOST, ALLOWED_HOSTS, CORS_ORIGINS, TRUSTED_DOCUMENTS: mode } = settings;
  // DNS rebinding would let pages of any site use the embedded chain, which has no other protection.
  const checksHost = devnet !== undefined || ALLOWED_HOSTS.length > 0;
  return {
    host: HOST,
    port: settings.PORT,
    metricsPort: settings.METRICS_PORT,
    corsOrigins: devnet && CORS_ORIGINS.length === 0 ? LOOPBACK_ORIGINS : CORS_ORIGINS,
    acceptsHost: checksHost ? createHostCheck([...listenHostNames(HOST), ...ALLOWED_HOSTS]) : undefined,
    operationTimeoutMs: settings.OPERATION_TIMEOUT_MS,
    maxConnections: settings.MAX_CONNECTIONS,
    maxUnsentBytes: settings.MAX_UNSENT_BYTES / processes,
    maxSubscriptions: settings.MAX_SUBSCRIPTIONS,
    trustedProxies: settings.TRUSTED_PROXIES,
    limits: settings,
    trustedDocuments: { mode, texts: readTrustedDocuments(mode === 'off' ? [] : settings.TRUSTED_DOCUMENTS_FILE) },
    verifiesLogs: settings.LOGS_VERIFY === 'on',
    isDropIn: settings.COMPATIBILITY === 'eip1767',
    documents: devnet ? { '/devnet.json': devnet } : {},
  };
}

/**
 * Creates the settings by which callers identify themselves. Throws BAD_USER_INPUT for an invalid API key, for claims
 * of tokens without a key set, and for required callers without keys.
 */
export async function callersOf(settings: CoreSettings, log: Logger): Promise<CallerSettings> {
  const { API_KEYS, JWT_JWKS_URL, JWT_ISSUER, JWT_AUDIENCE, REQUIRE_CALLER } = settings;
  if (JWT_JWKS_URL === undefined && (JWT_ISSUER ?? JWT_AUDIENCE) !== undefined)
    throw new GraphError('BAD_USER_INPUT', 'JWT_ISSUER or JWT_AUDIENCE is set without JWT_JWKS_URL. Set the URL of the key set.');
  const isRequired = REQUIRE_CALLER === 'on';
  if (isRequired && API_KEYS.length === 0 && JWT_JWKS_URL === undefined)
    throw new GraphError('BAD_USER_INPUT', 'REQUIRE_CALLER is on, and no caller has a key. Set API_KEYS or JWT_JWKS_URL, too.');
  const apiKeys = API_KEYS.length > 0 ? parseApiKeys(API_KEYS) : undefined;
  if (JWT_JWKS_URL === undefined) return { isRequired, apiKeys };
  // Imported dynamically, so that a server without tokens does not load the code.
  const { createTokenVerifier } = await import('../server/callers/json-web-tokens.ts');
  return { isRequired, apiKeys, verifyToken: createTokenVerifier({ ...settings, JWT_JWKS_URL }, log) };
}

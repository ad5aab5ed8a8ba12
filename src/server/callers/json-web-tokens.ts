import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Logger } from 'pino';
import { parseEndpoint } from '../../lib/endpoint.ts';
import { GraphError } from '../../lib/errors.ts';
import { createOutageLog } from '../../lib/outage-log.ts';
import type { Caller } from '../../operation/operation.ts';

/** Excludes HS*, because a public key of the set must not serve as the secret of a signature. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** The limit of Node for all headers of a request. Longer tokens, as in a WebSocket message, are not parsed. */
const MAX_TOKEN_CHARS = 16_384;
/** Text without control characters and unpaired surrogates. U+FFFD stands for bytes that are no UTF-8: it would make different names equal. */
const APP_NAME = /^[^\p{Cc}\p{Cs}\uFFFD]{1,128}$/u;
const CLOCK_TOLERANCE_SECONDS = 5;
/** The last millisecond of a `Date`. */
const MAX_TIME = 8.64e15;

const MALFORMED = 'The token is not a valid signed JSON Web Token. Send the compact form of one.';

/** Each property is the setting with the name of the property. */
export interface TokenSettings {
  readonly JWT_JWKS_URL: string;
  readonly JWT_ISSUER?: string | undefined;
  readonly JWT_AUDIENCE?: string | undefined;
  readonly JWT_APP_CLAIM: string;
  /** Timeout of a request for the key set. */
  readonly RPC_TIMEOUT_MS: number;
}

/**
 * Creates a function that verifies a JSON Web Token and returns its caller. The key set is requested for the first
 * token, after ten minutes, and for a token with an unknown key, unless the last response is less than 30 seconds old.
 * The function throws UNAUTHENTICATED for a token that is not accepted, and UPSTREAM_UNAVAILABLE if the key set that it
 * needs cannot be read.
 */
export function createTokenVerifier(settings: TokenSettings, log: Logger): (token: string) => Promise<Caller> {
  const { JWT_JWKS_URL, JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_APP_CLAIM: appClaim, RPC_TIMEOUT_MS } = settings;
  const readKey = createKeyReader(JWT_JWKS_URL, RPC_TIMEOUT_MS, log);
  const verifyOptions: JWTVerifyOptions = {
    algorithms: ALGORITHMS,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
  };
  return async (token) => {
    if (token.length > MAX_TOKEN_CHARS) {
      throw unauthenticated(`The token is too long. Send one of at most ${MAX_TOKEN_CHARS} characters.`);
    }
    try {
      return callerOf((await jwtVerify(token, readKey, verifyOptions)).payload, appClaim);
    } catch (error) {
      throw error instanceof GraphError ? error : unauthenticated(rejectionMessage(error));
    }
  };
}

/** Creates a reader of the key set whose failures are UPSTREAM_UNAVAILABLE, except failures of the token. */
function createKeyReader(jwksUrl: string, timeoutMs: number, log: Logger): JWTVerifyGetKey {
  const { origin, path, headers } = parseEndpoint(jwksUrl);
  const keySet = createRemoteJWKSet(new URL(origin + path), { timeoutDuration: timeoutMs, headers });
  const outage = createOutageLog(log, 'JWT_JWKS_URL cannot be read', 'JWT_JWKS_URL can be read again');
  return async (header, token) => {
    try {
      const key = await keySet(header, token);
      // The keys were read within the last seconds; a cached key says nothing about the outage.
      if (keySet.coolingDown) outage.record(undefined);
      return key;
    } catch (cause) {
      if (cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys) throw cause;
      const message = 'The keys that verify tokens could not be read. Send the request again later.';
      const failure = new GraphError('UPSTREAM_UNAVAILABLE', message, { source: 'graph', cause, endpoint: origin });
      outage.record(failure, cause);
      throw failure;
    }
  };
}

function callerOf(claims: JWTPayload, appClaim: string): Caller {
  const app = Object.hasOwn(claims, appClaim) ? claims[appClaim] : undefined;
  if (typeof app !== 'string' || !APP_NAME.test(app)) {
    throw unauthenticated(
      `The token names no application. Its claim "${appClaim}" must be text of 1 to 128 characters, without control characters.`,
    );
  }
  const expiresAt = (claims.exp! + CLOCK_TOLERANCE_SECONDS) * 1_000;
  if (expiresAt > MAX_TIME) throw unauthenticated(claimMessage('exp'));
  return { app, expiresAt };
}

/**
 * Describes why a token is not accepted, in texts of this server, because the texts of the library can change and may
 * quote the token.
 */
function rejectionMessage(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed) return claimMessage(error.claim);
  return REJECTIONS.find(([ErrorClass]) => error instanceof ErrorClass)?.[1] ?? MALFORMED;
}

const REJECTIONS = [
  [errors.JWTExpired, 'The token has expired. Send a new one.'],
  [errors.JWKSNoMatchingKey, 'The issuer has no such key. Send a token with a current signature.'],
  [errors.JWKSMultipleMatchingKeys, 'Several keys of the issuer match. Send a token whose header names its key (kid).'],
  [errors.JWSSignatureVerificationFailed, 'The signature of the token is invalid. Send the token unchanged.'],
  [errors.JOSEAlgNotAllowed, `The algorithm of the token is not accepted. Sign it with one of ${ALGORITHMS.join(', ')}.`],
] as const;

const claimMessage = (claim: string): string =>
  `The claim "${claim}" of the token is missing or not accepted. Send a token that was issued for this server.`;

const unauthenticated = (message: string): GraphError => new GraphError('UNAUTHENTICATED', message);

import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { stopAfterTests } from '../../../support/cleanups.ts';
import { findFreePort } from '../../../support/reserved-port.ts';

/** A key pair of an issuer. */
export interface IssuerKey {
  readonly publicJwk: JWK;
  /** Signs claims; `header` overrides the header. Without `exp` the token expires in an hour, with undefined never. */
  sign(claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
}

export const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

export async function createIssuerKey(
  alg: string,
  kid: string,
  options: Parameters<typeof generateKeyPair>[1] = {},
): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { ...options, extractable: true });
  return {
    publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' },
    sign: (claims = {}, header = {}) =>
      new SignJWT({ sub: 'wallet', exp: secondsFromNow(3_600), ...claims })
        .setProtectedHeader({ alg, kid, ...header })
        .sign(privateKey),
  };
}

/** An HTTP server with the key set of an issuer, on its own port. It can be stopped and started again. */
export interface KeySetServer {
  readonly url: string;
  keys: readonly unknown[];
  /** Responds instead of the key set. */
  respond: RequestListener | undefined;
  /** Number of requests so far. */
  requests: number;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function createKeySetServer(keys: readonly unknown[]): Promise<KeySetServer> {
  const port = await findFreePort();
  let server: Server | undefined;
  const keySet: KeySetServer = {
    url: `http://127.0.0.1:${port}/.well-known/jwks.json`,
    keys,
    respond: undefined,
    requests: 0,
    async start() {
      server = createServer((request, response) => {
        keySet.requests++;
        if (keySet.respond) return keySet.respond(request, response);
        response.setHeader('content-type', 'application/jwk-set+json').end(JSON.stringify({ keys: keySet.keys }));
      });
      await once(server.listen(port, '127.0.0.1'), 'listening');
    },
    async stop() {
      if (!server) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      server = undefined;
      await closed;
    },
  };
  stopAfterTests(() => keySet.stop());
  return keySet;
}

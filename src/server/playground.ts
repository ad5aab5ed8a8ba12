import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** Where `npm run build:playground` writes, seen from `dist/server`. */
const bundle = fileURLToPath(new URL('../playground/', import.meta.url));

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  // Same-origin WebSockets too: CSP 3 lets 'self' cover ws: and wss: of the page's own host and port.
  "connect-src 'self'",
  "font-src 'self'",
  // Monaco draws the line under an error from a data: image.
  "img-src 'self' data:",
  // Monaco writes its themes into <style> and the place of a line into style="", and knows no nonce.
  "style-src 'self' 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SECURITY_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // The files are sent gzipped or plain, and a cache on the way must not mix them up.
  vary: 'accept-encoding',
};

/** GraphiQL at `/`, its files under `/assets/`, and the live page at `/live/`, with headers that no other route gets. */
export async function registerPlayground(app: FastifyInstance): Promise<void> {
  if (!existsSync(`${bundle}index.html`)) {
    app.log.warn('no playground bundle: run "npm run build:playground"');
    app.get('/', (_request, reply) =>
      reply
        .code(404)
        .type('text/plain')
        .send('The playground is not built: run "npm run build:playground". The API is at /graphql.\n'),
    );
    return;
  }
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers(SECURITY_HEADERS);
    });
    // Names in assets/ carry the hash of the content; the page that names them must be asked for again.
    await scope.register(fastifyStatic, {
      root: `${bundle}assets`,
      prefix: '/assets/',
      index: false,
      immutable: true,
      maxAge: '1y',
      preCompressed: true,
    });
    // A page that shows the chain live: examples/live, built.
    await scope.register(fastifyStatic, { root: `${bundle}live`, prefix: '/live/', decorateReply: false, cacheControl: false });
    scope.get('/live', (_request, reply) => reply.redirect('live/', 301));
    scope.get('/', (_request, reply) =>
      reply.header('cache-control', 'no-cache').sendFile('index.html', bundle, { cacheControl: false }),
    );
  });
}

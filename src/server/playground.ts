import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { PACKAGE_ROOT } from '../package-root.ts';
import { pageHeaders } from './page-headers.ts';

/** Output of `npm run build:playground`. */
const bundle = fileURLToPath(new URL('dist/playground/', PACKAGE_ROOT));

const SECURITY_HEADERS = pageHeaders({
  'worker-src': "'self'",
  'font-src': "'self'",
  // Monaco writes themes to <style> and positions to style="", without a nonce.
  'style-src': "'self' 'unsafe-inline'",
});

/** Serves GraphiQL at `/` and its files under `/assets/`, with security headers. */
export async function registerPlayground(app: FastifyInstance): Promise<void> {
  if (!existsSync(`${bundle}index.html`)) {
    app.log.warn('the playground is not built; run "npm run build:playground"');
    app.get('/', (_request, reply) =>
      reply
        .code(404)
        .type('text/plain')
        .send('The playground is not built. Run "npm run build:playground". The API is at /graphql.\n'),
    );
    return;
  }
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers(SECURITY_HEADERS);
    });
    // File names in assets/ contain a hash of the content, so they are immutable; index.html is not.
    await scope.register(fastifyStatic, {
      root: `${bundle}assets`,
      prefix: '/assets/',
      index: false,
      immutable: true,
      maxAge: '1y',
      preCompressed: true,
    });
    scope.get('/', (_request, reply) =>
      reply.header('cache-control', 'no-cache').sendFile('index.html', bundle, { cacheControl: false }),
    );
  });
}

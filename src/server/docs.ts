import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { PACKAGE_ROOT } from '../package-root.ts';
import { pageHeaders } from './page-headers.ts';

/** Output of `npm run build:docs`. */
const site = fileURLToPath(new URL('dist/docs/', PACKAGE_ROOT));

const SECURITY_HEADERS = pageHeaders({
  // The highlighter of code writes colours to style="".
  'style-src': "'self' 'unsafe-inline'",
});

/** Serves the documentation below `/docs/` and its list for language models at `/llms.txt`, if the site is built. */
export async function registerDocs(app: FastifyInstance): Promise<void> {
  if (!existsSync(`${site}index.html`)) return;
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers(SECURITY_HEADERS);
    });
    // File names in assets/ contain a hash of the content, so they are immutable.
    await scope.register(fastifyStatic, {
      root: `${site}assets`,
      prefix: '/docs/assets/',
      index: false,
      immutable: true,
      maxAge: '1y',
    });
    await scope.register(fastifyStatic, {
      root: site,
      prefix: '/docs/',
      decorateReply: false,
      extensions: ['html'],
      cacheControl: false,
      setHeaders: (response) => void response.setHeader('cache-control', 'no-cache'),
    });
    scope.get('/docs', (_request, reply) => reply.redirect('docs/', 301));
    scope.get('/llms.txt', (_request, reply) => reply.sendFile('llms.txt', fileURLToPath(PACKAGE_ROOT), { cacheControl: false }));
  });
}

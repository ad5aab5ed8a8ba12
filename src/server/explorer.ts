import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { PACKAGE_ROOT } from '../package-root.ts';
import { pageHeaders } from './page-headers.ts';

/** Output of `npm run build:explorer`. */
const bundle = fileURLToPath(new URL('dist/explorer/', PACKAGE_ROOT));

/**
 * Serves the explorer below `/explore/` with security headers. Each path is a page of the one document, whose links to its files are relative, so
 * that a proxy may mount the server under a prefix.
 */
export async function registerExplorer(app: FastifyInstance): Promise<void> {
  if (!existsSync(`${bundle}index.html`)) {
    app.log.warn('the explorer is not built; run "npm run build:explorer"');
    app.get('/explore', (_request, reply) =>
      reply
        .code(404)
        .type('text/plain')
        .send('The explorer is not built. Run "npm run build:explorer". The API is at /graphql.\n'),
    );
    return;
  }
  const headers = pageHeaders();
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers(headers);
    });
    // File names in assets/ contain a hash of the content, so they are immutable; index.html is not.
    await scope.register(fastifyStatic, {
      root: `${bundle}assets`,
      prefix: '/explore/assets/',
      index: false,
      decorateReply: false,
      immutable: true,
      maxAge: '1y',
      preCompressed: true,
    });
    scope.get('/explore', (_request, reply) => reply.redirect('explore/', 301));
    scope.get('/explore/*', async ({ raw }, reply) => {
      const html = htmlFor(await readFile(`${bundle}index.html`, 'utf8'), raw.url ?? '');
      return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(html);
    });
  });
}

/** The document with its links relative to a path below `/explore/`. */
export function htmlFor(html: string, url: string): string {
  const { length: depth } = url.replace(/\?.*$/s, '').replace('/explore/', '').split('/').slice(1);
  return depth === 0 ? html : html.replaceAll('"./assets/', `"${'../'.repeat(depth)}assets/`);
}

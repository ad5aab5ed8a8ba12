import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PACKAGE_ROOT } from '../lib/package-root.ts';
import { NO_STORE, NOT_FOUND, sendError } from './requests/http-errors.ts';
import { isGraphPath } from './requests/request-options.ts';

/** Directives of the content policy of every page. */
const PAGE_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  // Same-origin WebSockets too: CSP 3 lets 'self' cover ws: and wss: of the page's own host and port.
  'connect-src': "'self'",
  // data: for embedded logos of tokens, and for the image with which Monaco underlines errors.
  'img-src': "'self' data:",
  'style-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

const policyText = (policy: Readonly<Record<string, string>>): string =>
  Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ');

/** A site that this server serves from the output of its build. */
interface Site {
  /** Folder below `dist` and suffix of the npm script that builds it. */
  readonly name: string;
  /** Path of the page; its files whose names contain a hash of their content are in `assets/` below it. */
  readonly path: string;
  /** Directives of the content policy that replace or complete the directives of every page. */
  readonly policy: Readonly<Record<string, string>>;
  /** Adds the routes of the pages. */
  readonly addPages: (scope: FastifyInstance, root: string) => void;
}

const SITES: readonly Site[] = [
  {
    name: 'playground',
    path: '/',
    policy: {
      'worker-src': "'self'",
      'font-src': "'self'",
      // Monaco writes themes to <style> and positions to style="", without a nonce.
      'style-src': "'self' 'unsafe-inline'",
    },
    addPages: (scope, root) =>
      scope.get('/', (_request, reply) => revalidated(reply).sendFile('index.html', root, { cacheControl: false })),
  },
  {
    // Each path below it is a page of the one document.
    name: 'explorer',
    path: '/explore/',
    policy: {},
    addPages: (scope, root) =>
      scope.get('/explore/*', async ({ raw }, reply) => {
        const html = htmlFor(await readFile(`${root}index.html`, 'utf8'), raw.url ?? '');
        return revalidated(reply).type('text/html; charset=utf-8').send(html);
      }),
  },
  {
    name: 'docs',
    path: '/docs/',
    // The code highlighter writes colours to style="".
    policy: { 'style-src': "'self' 'unsafe-inline'" },
    addPages(scope, root) {
      scope.register(fastifyStatic, {
        root,
        prefix: '/docs/',
        decorateReply: false,
        extensions: ['html'],
        cacheControl: false,
        setHeaders: (response) => void response.setHeader('cache-control', 'no-cache'),
      });
      const packageFolder = fileURLToPath(PACKAGE_ROOT);
      scope.get('/llms.txt', (_request, reply) => reply.sendFile('llms.txt', packageFolder, { cacheControl: false }));
    },
  },
];

/** Contains `not-built.html`, a page that reloads itself. */
const TEMPLATES = fileURLToPath(new URL('templates/', PACKAGE_ROOT));

const siteFolder = (name: string, dist = new URL('dist/', PACKAGE_ROOT)): string => fileURLToPath(new URL(`${name}/`, dist));

/** Whether the pages of a site are built. `npm start` builds the documentation while the server runs. */
export const isBuilt = (name: string, dist?: URL): boolean => existsSync(`${siteFolder(name, dist)}index.html`);

/** Serves the playground, the explorer and the documentation, with security headers. */
export async function registerWebPages(app: FastifyInstance, dist?: URL): Promise<void> {
  for (const site of SITES) await registerSite(app, site, dist);
}

async function registerSite(app: FastifyInstance, { name, path, policy, addPages }: Site, dist: URL | undefined): Promise<void> {
  const root = siteFolder(name, dist);
  const pathWithoutSlash = path.slice(0, -1);
  if (pathWithoutSlash) app.get(pathWithoutSlash, (_request, reply) => reply.redirect(path.slice(1), 301));
  const headers = {
    'content-security-policy': policyText({ ...PAGE_POLICY, ...policy }),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    // The server sends files gzipped or plain; caches must store both variants.
    vary: 'accept-encoding',
  };
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => {
      if (isBuilt(name, dist)) return void reply.headers(headers);
      return reply.code(503).sendFile('not-built.html', TEMPLATES, { cacheControl: false });
    });
    // The plug-in warns of a folder that does not exist, although the build creates it later.
    if (!isBuilt(name, dist)) Object.defineProperty(scope, 'log', { value: scope.log.child({}, { level: 'error' }) });
    // File names in assets/ contain a hash of the content, so they are immutable; the pages are not.
    await scope.register(fastifyStatic, {
      root: `${root}assets`,
      prefix: `${path}assets/`,
      index: false,
      immutable: true,
      maxAge: '1y',
      // Some builds also write each file compressed.
      preCompressed: true,
    });
    addPages(scope, root);
  });
}

/** Makes caches request a page again, because its name has no hash of its content. */
const revalidated = (reply: FastifyReply): FastifyReply => reply.header('cache-control', 'no-cache');

/**
 * The document of the explorer with its links relative to a path below `/explore/`, so that a proxy may mount the server under a prefix.
 */
export function htmlFor(html: string, url: string): string {
  const root = relativeRoot(url.replace('/explore/', ''));
  return root === '' ? html : html.replaceAll('"./assets/', `"${root}assets/`);
}

/** The relative address of the folder that a relative URL starts from; empty for a file in the folder. */
const relativeRoot = (url: string): string => '../'.repeat(url.replace(/\?.*$/s, '').split('/').length - 1);

/** Responds to a request for an unknown path: to a browser with a page that links to the sites, to others with an error in JSON. */
export function sendNotFound({ method, headers, url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (isGraphPath(url))
    return sendError(reply.header('allow', 'GET, POST'), [405, 'BAD_REQUEST', 'The method is not allowed. Use GET or POST.']);
  if (method !== 'GET' || !headers.accept?.includes('text/html')) return sendError(reply, NOT_FOUND);
  const policy = { ...PAGE_POLICY, 'style-src': "'unsafe-inline'" };
  return reply
    .code(404)
    .headers({ 'content-security-policy': policyText(policy), 'cache-control': NO_STORE })
    .type('text/html; charset=utf-8')
    .send(notFoundPage(relativeRoot(url.slice(1)) || './'));
}

/** The page for an unknown path. `root` is the relative address of the server, so that a proxy may mount it under a prefix. */
const notFoundPage = (root: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page not found: Grimoire</title>
<style>:root{color-scheme:light dark;font:1rem/1.6 system-ui,sans-serif}body{max-width:36rem;margin:15vh auto;padding:0 1rem}a{color:inherit}</style>
<h1>Page not found</h1>
<p>This server has no page at this address. It has a <a href="${root}">playground</a> for operations, an
<a href="${root}explore/">explorer</a> of the chain, and its <a href="${root}docs/">documentation</a>.</p>
<p>The GraphQL API is at <code>/graphql</code>.</p>
</html>
`;

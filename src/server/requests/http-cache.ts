import { createHash } from 'node:crypto';
import type { FastifyReply, RouteHandlerMethod } from 'fastify';
import type { JsonChunks } from '../../graphql/executor/json-output.ts';

export const NO_STORE = 'no-store';
/** For responses with data of the caller: no cache, neither shared nor of the client, may store them. */
export const PRIVATE_NO_STORE = 'private, no-store';

const YEAR_SECONDS = 31_536_000;

/** The request headers that select the response, besides the URL. */
const REPRESENTATION_HEADERS = 'accept, x-graph-block, x-graph-min-block, x-graph-cost';

/** Returns the header `cache-control` for the lifetime of a response in seconds; undefined forbids to store it. `isPrivate`: it has data of its caller. */
export function cacheControl(lifetime: number | undefined, isPrivate = false): string {
  if (isPrivate) return PRIVATE_NO_STORE;
  if (lifetime === undefined) return NO_STORE;
  if (lifetime === Number.POSITIVE_INFINITY) return `public, max-age=${YEAR_SECONDS}, immutable`;
  // A cache must not serve an older head, not even while this server is unavailable.
  return `public, max-age=${lifetime}, must-revalidate`;
}

/**
 * Completes the headers for caches: `no-store` for errors, `vary`, and for a GET `etag`. Responds 304 if the client has the same response.
 * Only responses to GET have an `etag`, because hashing takes about a second for each gigabyte.
 */
export function withCacheHeaders(handle: RouteHandlerMethod): RouteHandlerMethod {
  return async function (request, reply) {
    const body = await handle.call(this, request, reply);
    const control = reply.getHeader('cache-control');
    if (control === undefined || (reply.statusCode !== 200 && control !== PRIVATE_NO_STORE))
      reply.header('cache-control', NO_STORE);
    addVary(reply);
    const mayStore = !String(reply.getHeader('cache-control')).includes(NO_STORE);
    if (request.method !== 'GET' || !mayStore || typeof body !== 'string') return body;
    const etag = entityTag(String(reply.getHeader('content-type')), request.longResponseBody ?? [body]);
    reply.header('etag', etag);
    if (!matchesEntityTag(request.headers['if-none-match'], etag)) return body;
    request.longResponseBody = undefined;
    return reply.code(304).removeHeader('content-length').removeHeader('content-type').send();
  };
}

function addVary(reply: FastifyReply): void {
  const names = reply.getHeader('vary');
  reply.header('vary', names === undefined ? REPRESENTATION_HEADERS : `${names}, ${REPRESENTATION_HEADERS}`);
}

/** A strong entity tag. It covers the media type, because `accept` selects between two with the same body. */
function entityTag(contentType: string, chunks: JsonChunks): string {
  const hash = createHash('sha256').update(contentType);
  for (const chunk of chunks) hash.update(chunk);
  return `"${hash.digest('base64url')}"`;
}

/** Compares the tags in `if-none-match` weakly, as RFC 9110 requires. */
const matchesEntityTag = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false;

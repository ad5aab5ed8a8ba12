import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
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

/** Sets the headers for caches: `cache-control`, which forbids to store errors, and `vary`. */
export function setCacheHeaders(reply: FastifyReply, control: string): void {
  reply.header('cache-control', reply.statusCode === 200 || control === PRIVATE_NO_STORE ? control : NO_STORE);
  const names = reply.getHeader('vary');
  reply.header('vary', names === undefined ? REPRESENTATION_HEADERS : `${names}, ${REPRESENTATION_HEADERS}`);
}

/**
 * Sets the `etag` of a response to GET that caches may store, and returns whether the client has the same response. Only responses to GET have an
 * `etag`, because hashing takes about a second for each gigabyte.
 */
export function isNotModified({ method, headers }: FastifyRequest, reply: FastifyReply, chunks: JsonChunks): boolean {
  if (method !== 'GET' || String(reply.getHeader('cache-control')).includes(NO_STORE)) return false;
  const etag = entityTag(String(reply.getHeader('content-type')), chunks);
  reply.header('etag', etag);
  return matchesEntityTag(headers['if-none-match'], etag);
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

import type { Dispatcher } from 'undici';

type Headers = Dispatcher.ResponseData['headers'];

/** Headers that make a request conditional on a cached response. */
export type CacheValidators = Readonly<Partial<Record<'if-none-match' | 'if-modified-since', string>>>;

/** Returns the conditional headers for a response; undefined when it has no validator, or one that may hide a change. */
export function cacheValidatorsOf(headers: Headers): CacheValidators | undefined {
  const etag = headerValue(headers, 'etag');
  if (etag !== undefined) return { 'if-none-match': etag };
  const lastModified = headerValue(headers, 'last-modified');
  const date = headerValue(headers, 'date');
  if (lastModified === undefined || date === undefined) return undefined;
  // Last-Modified counts seconds: two changes within one second have the same validator (RFC 9110, 8.8.2.2).
  return Date.parse(date) - Date.parse(lastModified) >= 1_000 ? { 'if-modified-since': lastModified } : undefined;
}

const headerValue = (headers: Headers, name: string): string | undefined => [headers[name]].flat()[0];

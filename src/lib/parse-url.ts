/**
 * Parses an absolute URL; undefined if it is none. In place of `URL.canParse`, which in Node 20 rejects texts with characters of Latin-1 once it is
 * called often.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

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

/** The security headers of a page, with further directives of its content policy, or others than those of every page. */
export const pageHeaders = (directives: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  'content-security-policy': Object.entries({ ...PAGE_POLICY, ...directives })
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // The files are sent gzipped or plain; caches must store both.
  vary: 'accept-encoding',
});

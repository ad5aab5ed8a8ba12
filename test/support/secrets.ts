/**
 * Secrets of the tests: the key of each node behind a proxy, a credential in the headers of each request to a graph, API keys of
 * applications, the token of a notification service, and the credentials of each wizard service except the embedded one. The
 * tests search every response and the log of each graph for them, independently of the masking in `src/lib/logger.ts`.
 */

/** Has characters that URLs, JSON and both alphabets of base64 encode differently. */
export const NODE_KEY = 'n0de~canary>>>?7f/Q+x9"W2k=Zt5Rb8Lm4';
const ENCODED = encodeURIComponent(NODE_KEY);
/** The authorization header of a node URL with a password. */
export const NODE_AUTHORIZATION = `Basic ${Buffer.from(`user:${NODE_KEY}`).toString('base64')}`;
const CLIENT_KEY = 'cl1ent-canary-Vq6Hs0Jd3_Yx8Np1Gw5Tf7Ec';

/** Credentials of a wizard service: two headers, and a key in its URL. */
export const WIZARD_CREDENTIALS = {
  token: 'w1z-token-canary-Kd83',
  email: 'canary-owl@wizards.example',
  key: 'w1zurlcanaryPq72',
} as const;

/** Credentials of a client, which the graph must not reveal. */
export const CLIENT_HEADERS: Readonly<Record<string, string>> = {
  authorization: `Bearer ${CLIENT_KEY}`,
  cookie: `session=${CLIENT_KEY}`,
  'x-api-key': CLIENT_KEY,
};

/** API keys of applications, in addition to the key of the client. */
export const APP_KEYS = { farm: 'f4rm-api-canary-Zt72Lq9x', mill: 'm1ll-api-canary-Bv46Rn3w' } as const;

/** A token that signs notifications. */
export const NOTIFICATION_TOKEN = 'n0tify-canary-Hq81Nd5sTe';

/** Returns the URL of a node with its key in the password, the path and the query. */
export function withNodeKey(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//user:${ENCODED}@${host}${pathname.replace(/\/$/, '')}/${ENCODED}?apikey=${ENCODED}`;
}

/** Half a key is a leak as well: a message may be truncated. */
const secretFragments = [
  ...[NODE_KEY, CLIENT_KEY, NOTIFICATION_TOKEN],
  ...Object.values(APP_KEYS),
  ...Object.values(WIZARD_CREDENTIALS),
].flatMap((key) => [key.slice(0, key.length / 2), key.slice(key.length / 2)]);

const findFragment = (text: string): string | undefined => secretFragments.find((piece) => text.includes(piece));

const unescapeJson = (text: string): string =>
  text.includes('\\')
    ? text
        .replace(/\\u([0-9a-f]{4})/gi, (_match, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
        .replace(/\\(.)/gs, '$1')
    : text;

const percentDecoded = (text: string): string =>
  text.includes('%')
    ? text.replace(/%([0-9a-f]{2})/gi, (_match, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    : text;

/**
 * Decodes each run of base64 at every offset. Hex data, most of a response, and a repeated character, as of large fixtures, are
 * skipped: no key encodes to them.
 */
const base64Decoded = (text: string): string =>
  text
    // V8 bounds the stack of regular expressions: a pattern of whole runs fails for six million characters, and failed once for five.
    .split(/[^\w+/-]/)
    .filter((run) => run.length >= 20 && !isHex(run) && !isOneCharacter(run))
    .flatMap((run) => [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString('latin1')))
    .join('\n');
const isHex = (run: string): boolean => !/[^0-9a-f]/.test(run.replace(/^0x/, ''));
const isOneCharacter = (run: string): boolean => run === run.charAt(0).repeat(run.length);

/** The text in every decoding; twice URL-decoded for a URL within a URL. Equal decodings appear once. */
function decodings(text: string): Set<string> {
  const plain = new Set([text, unescapeJson(text)]);
  const once = new Set([...plain].map(percentDecoded));
  const encoded = new Set([...plain, ...once]);
  return new Set([...encoded, ...[...once].map(percentDecoded), ...[...encoded].map(base64Decoded)]);
}

/** Throws when a text holds a secret or half of one: plain, in JSON, URL-encoded, or in base64. `source` names the text. */
export function assertNoSecret(text: string, source: string): void {
  for (const reading of decodings(text)) {
    const piece = findFragment(reading);
    if (piece === undefined) continue;
    const at = reading.indexOf(piece);
    throw new Error(`a secret appears in ${source}: …${reading.slice(Math.max(0, at - 200), at + 100)}…`);
  }
}

const originalFetch = globalThis.fetch;

/** Searches every response that this test file fetches for secrets, except the bodies of event streams, which do not end. */
export function checkFetchedResponses(): void {
  globalThis.fetch = async (...requested) => {
    const response = await originalFetch(...requested);
    const headers = [...response.headers].map((pair) => pair.join(': ')).join('\n');
    const isEventStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    const body = isEventStream ? '' : await response.clone().text();
    assertNoSecret(`${headers}\n${body}`, `the response of ${response.url}`);
    return response;
  };
}

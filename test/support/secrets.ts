/**
 * The canaries. They are in every test: the first in the URL of each node behind a proxy, the second in the headers of each
 * question to a graph, the others in the settings of each wizard service that is not the embedded one. Whatever a graph answers or writes is looked through for them; written apart from what `src/log.ts` does.
 */

/** With signs that URLs, JSON and the two alphabets of base64 each spell in their own way. */
export const NODE_KEY = 'n0de~canary>>>?7f/Q+x9"W2k=Zt5Rb8Lm4';
const ENCODED = encodeURIComponent(NODE_KEY);
/** The password of a node's URL as it comes to the node. */
export const NODE_AUTHORIZATION = `Basic ${Buffer.from(`user:${NODE_KEY}`).toString('base64')}`;
const CLIENT_KEY = 'cl1ent-canary-Vq6Hs0Jd3_Yx8Np1Gw5Tf7Ec';

/** What lets into a wizard service: two headers, and a key in its URL. */
export const WIZARD_CREDENTIALS = {
  token: 'w1z-token-canary-Kd83',
  email: 'canary-owl@wizards.example',
  key: 'w1zurlcanaryPq72',
} as const;

/** What a client may send along; nobody but the graph is to know it. */
export const CLIENT_HEADERS: Readonly<Record<string, string>> = {
  authorization: `Bearer ${CLIENT_KEY}`,
  cookie: `session=${CLIENT_KEY}`,
  'x-api-key': CLIENT_KEY,
};

/** The URL of a node with its key in each place where a hosted node may have one: the password, the path and the query. */
export function withNodeKey(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//user:${ENCODED}@${host}${pathname.replace(/\/$/, '')}/${ENCODED}?apikey=${ENCODED}`;
}

/** Half a key is a leak as well: a message may have been cut. */
const secretFragments = [NODE_KEY, CLIENT_KEY, ...Object.values(WIZARD_CREDENTIALS)].flatMap((key) => [
  key.slice(0, key.length / 2),
  key.slice(key.length / 2),
]);

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

/** Decodes each run of base64 at every offset. Hex data, most of a response, is skipped: no key encodes to hex digits only. */
const base64Decoded = (text: string): string =>
  (text.match(/[\w+/-]{20,}/g) ?? [])
    .filter((run) => !HEX.test(run))
    .flatMap((run) => [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString('latin1')))
    .join('\n');
const HEX = /^(?:0x)?[0-9a-f]+$/;

/** The text in every decoding; twice URL-decoded for a URL within a URL. Equal decodings appear once. */
function decodings(text: string): Set<string> {
  const plain = new Set([text, unescapeJson(text)]);
  const once = new Set([...plain].map(percentDecoded));
  const encoded = new Set([...plain, ...once]);
  return new Set([...encoded, ...[...once].map(percentDecoded), ...[...encoded].map(base64Decoded)]);
}

/** Throws when a canary can be read from a text: as it is, cut in half, in JSON, URL-encoded, or in base64. */
export function assertNoSecret(text: string, where: string): void {
  for (const reading of decodings(text)) {
    const piece = findFragment(reading);
    if (piece === undefined) continue;
    const at = reading.indexOf(piece);
    throw new Error(`a secret shows in ${where}: …${reading.slice(Math.max(0, at - 200), at + 100)}…`);
  }
}

const originalFetch = globalThis.fetch;

/** Has every answer that this test file fetches looked through before it is handed out. A stream of events has no end to wait for. */
export function checkFetchedResponses(): void {
  globalThis.fetch = async (...asked) => {
    const response = await originalFetch(...asked);
    const headers = [...response.headers].map((pair) => pair.join(': ')).join('\n');
    const endless = response.headers.get('content-type')?.startsWith('text/event-stream');
    const body = endless ? '' : await response.clone().text();
    assertNoSecret(`${headers}\n${body}`, `the answer of ${response.url}`);
    return response;
  };
}

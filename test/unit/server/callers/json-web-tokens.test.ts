import { createHmac, createPublicKey, type JsonWebKey } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { UnsecuredJWT } from 'jose';
import { pino } from 'pino';
import { createTokenVerifier } from '../../../../src/server/callers/json-web-tokens.ts';
import { createIssuerKey, createKeySetServer, type IssuerKey, type KeySetServer, secondsFromNow } from './key-set-server.ts';
import { rejectionOf } from './token-rejection.ts';

const ISSUER = 'https://issuer.example/';
const THIS_SERVER = 'grimoire';

let keySet: KeySetServer;
let rsa: IssuerKey;
let ec: IssuerKey;
let ed: IssuerKey;
let foreign: IssuerKey;

beforeAll(async () => {
  rsa = await createIssuerKey('RS256', 'rsa-1');
  ec = await createIssuerKey('ES256', 'ec-1');
  ed = await createIssuerKey('EdDSA', 'ed-1');
  foreign = await createIssuerKey('RS256', 'rsa-1');
  const secret = { kty: 'oct', kid: 'oct-1', alg: 'HS256', k: Buffer.from('secret of the key set').toString('base64url') };
  keySet = await createKeySetServer([rsa.publicJwk, ec.publicJwk, ed.publicJwk, secret]);
  await keySet.start();
});

const createVerifier = (options: Partial<Parameters<typeof createTokenVerifier>[0]> = {}) =>
  createTokenVerifier(
    {
      JWT_JWKS_URL: keySet.url,
      JWT_ISSUER: ISSUER,
      JWT_AUDIENCE: THIS_SERVER,
      JWT_APP_CLAIM: 'sub',
      RPC_TIMEOUT_MS: 2_000,
      ...options,
    },
    pino({ level: 'silent' }),
  );

const CLAIMS = { iss: ISSUER, aud: THIS_SERVER };
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token whose header and claims are any JSON, with an HMAC of this secret. */
const hmacToken = (
  header: unknown,
  secret: string | Buffer,
  claims: unknown = { ...CLAIMS, sub: 'wallet', exp: 9e9 },
): string => {
  const signed = `${base64url(header)}.${base64url(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
};

const publicKeyOf = ({ publicJwk }: IssuerKey) => createPublicKey({ key: publicJwk as JsonWebKey, format: 'jwk' });

test.each<[name: string, sign: () => Promise<string>]>([
  ['RS256', () => rsa.sign(CLAIMS)],
  ['ES256', () => ec.sign(CLAIMS)],
  ['EdDSA', () => ed.sign(CLAIMS)],
  ['several audiences', () => rsa.sign({ ...CLAIMS, aud: ['other', THIS_SERVER] })],
  ['no key id', () => ec.sign(CLAIMS, { kid: undefined })],
])('a token with %s has the caller of its subject', async (_name, sign) => {
  const exp = secondsFromNow(600);
  const token = await sign();
  const { exp: signed } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
  expect(await createVerifier()(token)).toEqual({ app: 'wallet', expiresAt: (signed + 5) * 1_000 });
  expect(signed).toBeGreaterThan(exp);
});

test('the tolerance of the clock is five seconds, also for the time at which a connection ends', async () => {
  const verify = createVerifier();
  const late = secondsFromNow(-2);
  expect(await verify(await rsa.sign({ ...CLAIMS, exp: late }))).toEqual({ app: 'wallet', expiresAt: (late + 5) * 1_000 });
  expect(await verify(await rsa.sign({ ...CLAIMS, nbf: secondsFromNow(4) }))).toMatchObject({ app: 'wallet' });
  await rejectionOf(verify, await rsa.sign({ ...CLAIMS, exp: secondsFromNow(-7) }));
  await rejectionOf(verify, await rsa.sign({ ...CLAIMS, nbf: secondsFromNow(20) }));
});

test('issuer and audience are not checked unless they are set', async () => {
  const verify = createVerifier({ JWT_ISSUER: undefined, JWT_AUDIENCE: undefined });
  expect(await verify(await rsa.sign())).toMatchObject({ app: 'wallet' });
  expect(await verify(await rsa.sign({ iss: 'https://other.example/', aud: 'other' }))).toMatchObject({ app: 'wallet' });
});

test.each([
  ['128 characters', 'w'.repeat(128)],
  ['128 emojis', '🧙'.repeat(128)],
  ['letters of any script', 'магазин 商店 é'],
])('a token whose subject has %s is accepted', async (_name, sub) => {
  expect(await createVerifier()(await rsa.sign({ ...CLAIMS, sub }))).toMatchObject({ app: sub });
});

test('the application can be another claim', async () => {
  const verify = createVerifier({ JWT_APP_CLAIM: 'client_id' });
  expect(await verify(await rsa.sign({ ...CLAIMS, client_id: 'games' }))).toMatchObject({ app: 'games' });
  expect(await rejectionOf(verify, await rsa.sign(CLAIMS))).toMatch(/names no application.*"client_id"/);
  const inherited = createVerifier({ JWT_APP_CLAIM: 'constructor' });
  expect(await rejectionOf(inherited, await rsa.sign(CLAIMS))).toMatch(/names no application/);
});

const CLAIM_IS = (claim: string) => new RegExp(`^The claim "${claim}" of the token is missing or not accepted\\.`);
const MALFORMED = /^The token is not a valid signed JSON Web Token\./;
const NO_APP = /^The token names no application\./;
const BAD_ALGORITHM = /^The algorithm of the token is not accepted\./;
const BAD_SIGNATURE = /^The signature of the token is invalid\./;
const UNKNOWN_KEY = /^The issuer has no such key\./;

test.each<[name: string, token: () => string | Promise<string>, message: RegExp]>([
  ['another issuer', () => rsa.sign({ ...CLAIMS, iss: 'https://other.example/' }), CLAIM_IS('iss')],
  ['no issuer', () => rsa.sign({ aud: THIS_SERVER }), CLAIM_IS('iss')],
  ['another audience', () => rsa.sign({ ...CLAIMS, aud: ['other'] }), CLAIM_IS('aud')],
  ['no audience', () => rsa.sign({ iss: ISSUER }), CLAIM_IS('aud')],
  ['an expiry in the past', () => rsa.sign({ ...CLAIMS, exp: secondsFromNow(-60) }), /^The token has expired\./],
  ['no expiry', () => rsa.sign({ ...CLAIMS, exp: undefined }), CLAIM_IS('exp')],
  ['an expiry beyond all dates', () => rsa.sign({ ...CLAIMS, exp: 1e300 }), CLAIM_IS('exp')],
  ['an expiry as a text', () => rsa.sign({ ...CLAIMS, exp: '9000000000' }), CLAIM_IS('exp')],
  ['a start in the future', () => rsa.sign({ ...CLAIMS, nbf: secondsFromNow(60) }), CLAIM_IS('nbf')],
  ['no subject', () => rsa.sign({ ...CLAIMS, sub: undefined }), NO_APP],
  ['an empty subject', () => rsa.sign({ ...CLAIMS, sub: '' }), NO_APP],
  ['a subject of 129 characters', () => rsa.sign({ ...CLAIMS, sub: 'w'.repeat(129) }), NO_APP],
  ['U+0000 in its subject', () => rsa.sign({ ...CLAIMS, sub: 'wal\0let' }), NO_APP],
  ['a line feed in its subject', () => rsa.sign({ ...CLAIMS, sub: 'wallet\n' }), NO_APP],
  ['an unpaired surrogate in its subject', () => rsa.sign({ ...CLAIMS, sub: 'wallet\ud800' }), NO_APP],
  ['the replacement of invalid UTF-8 in its subject', () => rsa.sign({ ...CLAIMS, sub: 'wallet\ufffd' }), NO_APP],
  ['a number as subject', () => rsa.sign({ ...CLAIMS, sub: 7 }), NO_APP],
  ['the key of another issuer', () => foreign.sign(CLAIMS), BAD_SIGNATURE],
  ['the key id of another key', () => foreign.sign(CLAIMS, { kid: 'ec-1' }), UNKNOWN_KEY],
  ['an unknown key id', () => rsa.sign(CLAIMS, { kid: '../../etc/passwd' }), UNKNOWN_KEY],
  ['a key in its header', () => foreign.sign(CLAIMS, { kid: 'own', jwk: foreign.publicJwk }), UNKNOWN_KEY],
  ['alg none', () => new UnsecuredJWT({ ...CLAIMS, sub: 'wallet', exp: 9e9 }).encode(), BAD_ALGORITHM],
  [
    'an HMAC with the public key as PEM',
    () => hmacToken({ alg: 'HS256', kid: 'rsa-1' }, publicKeyOf(rsa).export({ type: 'spki', format: 'pem' })),
    BAD_ALGORITHM,
  ],
  [
    'an HMAC with a secret of the key set',
    () => hmacToken({ alg: 'HS256', kid: 'oct-1' }, 'secret of the key set'),
    BAD_ALGORITHM,
  ],
  ['an HMAC under the name RS256', () => hmacToken({ alg: 'RS256', kid: 'rsa-1' }, 'secret'), BAD_SIGNATURE],
  [
    'an unknown critical header',
    () =>
      rsa
        .sign(CLAIMS)
        .then(
          (token) => `${base64url({ alg: 'RS256', kid: 'rsa-1', crit: ['x'], x: 1 })}.${token.split('.').slice(1).join('.')}`,
        ),
    MALFORMED,
  ],
  ['an empty text', () => '', MALFORMED],
  ['a scheme before it', async () => `Bearer ${await rsa.sign(CLAIMS)}`, MALFORMED],
  ['a fourth part', async () => `${await rsa.sign(CLAIMS)}.x`, MALFORMED],
  ['no signature', async () => (await rsa.sign(CLAIMS)).replace(/[^.]*$/, ''), BAD_SIGNATURE],
  ['no characters of base64', () => '¡.☃.\0', MALFORMED],
  ['a signed token of 100 kB', () => rsa.sign({ ...CLAIMS, notes: 'x'.repeat(75_000) }), /^The token is too long\./],
  ['100 kB of dots', () => '.'.repeat(100_000), /^The token is too long\./],
])('a token with %s is rejected as UNAUTHENTICATED', async (_name, token, message) => {
  expect(await rejectionOf(createVerifier(), await token())).toMatch(message);
});

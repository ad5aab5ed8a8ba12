import { describe, expect, test } from '@jest/globals';
import { AbiCoder, encodeBytes32String } from 'ethers';
import { decodeDecimals, decodeServiceMetadata, decodeText } from '../../../../src/domains/tokens/metadata.ts';
import { firstNonEmptyFields, sanitizeLogoUri, sanitizeTokenText, type TokenMetadata } from '../../../../src/ethereum/tokens.ts';
import { random, readSeed, runSize } from '../../../support/random-tests.ts';

const abi = AbiCoder.defaultAbiCoder();
const word = (hex: string) => hex.padStart(64, '0');
const string = (text: string) => abi.encode(['string'], [text]);
const none: TokenMetadata = { name: null, symbol: null, decimals: null, logo: null };

const listed = { name: 'L', symbol: 'LL', decimals: 1, logo: 'https://l' };
const contract = { name: 'C', symbol: 'CC', decimals: 3, logo: null };
test.each<[string, Parameters<typeof firstNonEmptyFields>[0], TokenMetadata | null]>([
  ['prefers the first source', [listed, contract], listed],
  ['skips missing sources', [undefined, null, contract], contract],
  [
    'merges field by field',
    [{ ...none, symbol: 'LL' }, { ...none, logo: 'https://s', name: 'S' }, contract],
    { name: 'S', symbol: 'LL', decimals: 3, logo: 'https://s' },
  ],
  ['treats an empty string as missing', [{ ...listed, name: '' }, contract], { ...listed, name: 'C' }],
  ['treats 0 decimals as a value', [{ ...listed, decimals: 0 }, contract], { ...listed, decimals: 0 }],
  ['returns null without sources', [], null],
  ['returns null if no source has a field', [none, { ...none, name: '' }], null],
])('firstNonEmptyFields %s', (_case, sources, merged) => {
  expect(firstNonEmptyFields(sources)).toEqual(merged);
});

describe('decodeText', () => {
  test.each<[string, string, string | null]>([
    ['a string', string('Dai Stablecoin'), 'Dai Stablecoin'],
    ['an emoji with joiners', string('👩‍🚀'), '👩‍🚀'],
    ['a string of 128 characters of 4 bytes', string('🪙'.repeat(128)), '🪙'.repeat(128)],
    ['an unpadded string', `0x${word('20')}${word('3')}414243`, 'ABC'],
    ['a string with line breaks and tabs', string('\n A\tB\r\n'), 'AB'],
    ['a string with bidirectional controls', string('USD\u202ec\u202c\u200b'), 'USDc'],
    ['a bytes32', encodeBytes32String('MKR'), 'MKR'],
    ['a bytes32 of 32 characters', `0x${'41'.repeat(32)}`, 'A'.repeat(32)],
    ['empty data', '0x', null],
    ['an empty string', string(''), null],
    ['only joiners', string('\u200d\u200c'), null],
    ['a string of 129 characters', string('x'.repeat(129)), null],
    ['a string that is not UTF-8', `0x${word('20')}${word('2')}c328`, null],
    ['a bytes32 that is not UTF-8', `0x${'ff'.repeat(32)}`, null],
    ['a bytes32 with a zero between the characters', `0x${'410042'.padEnd(64, '0')}`, null],
    ['33 bytes', `0x${'41'.repeat(33)}`, null],
    ['an offset out of bounds', `0x${word('60')}${word('1')}41`, null],
    ['an offset of 2^256 - 1', `0x${'ff'.repeat(32)}${word('1')}41`, null],
    ['a length of one byte too many', `0x${word('20')}${word('4')}414243`, null],
    ['a length of 2^256 - 1', `0x${word('20')}${'ff'.repeat(32)}41`, null],
    ['513 bytes, most of them invisible', string(`A${'\u200b'.repeat(170)}BC`), null],
    ['an empty result', '', null],
  ])('decodeText of %s returns the sanitized text or null', (_case, data, text) => {
    expect(decodeText(data)).toBe(text);
  });

  test('decodeText returns visible text or null for randomly corrupted results', () => {
    const SEED = readSeed();
    const next = random(SEED);
    const byte = () => Math.floor(next() * 256);
    const results = [string('Guild Crown'), encodeBytes32String('RUNE')];
    const wrong: unknown[] = [];
    let texts = 0;
    for (let round = 0; round < runSize(5_000, 200_000); round += 1) {
      const bytes = Buffer.from(results[next() < 0.5 ? 0 : 1]!.slice(2), 'hex');
      for (let change = next() * 4; change > 0; change -= 1) bytes[Math.floor(next() * bytes.length)] = byte();
      const text = decodeText(`0x${bytes.toString('hex').slice(0, next() < 0.2 ? Math.floor(next() * 200) : undefined)}`);
      if (text !== null) texts += 1;
      const isVisible = text === null || (text.trim() === text && !/[\p{Cc}\p{Cs}\u202e]/u.test(text) && text !== '');
      if (!isVisible) wrong.push([SEED, round, text]);
    }
    expect(wrong).toEqual([]);
    expect(texts).toBeGreaterThan(0);
  });

  test('decodeText and decodeDecimals return null for a result of 16 MiB', () => {
    const data = `0x${word('20')}${word('800000')}${'41'.repeat(8 * 1024 * 1024)}`;
    expect(decodeText(data)).toBeNull();
    expect(decodeDecimals(data)).toBeNull();
  });
});

test.each<[string, string, number | null]>([
  ['0', `0x${word('')}`, 0],
  ['18', `0x${word('12')}`, 18],
  ['255', `0x${word('FF')}`, 255],
  ['256', `0x${word('100')}`, null],
  ['empty data', '0x', null],
  ['a byte', '0x12', null],
  ['33 bytes', `0x${word('12')}00`, null],
])('decodeDecimals of %s returns a uint8 or null', (_case, data, decimals) => {
  expect(decodeDecimals(data)).toBe(decimals);
});

describe('decodeServiceMetadata', () => {
  const dai = { name: 'Dai', symbol: 'DAI', decimals: 18, logo: 'https://logos.example/dai.png' };

  test.each<[string, unknown, TokenMetadata | null]>([
    ['all fields', dai, dai],
    ['decimals as a decimal string', { ...dai, decimals: '6' }, { ...dai, decimals: 6 }],
    ['0 decimals', { ...none, decimals: 0 }, { ...none, decimals: 0 }],
    ['decimals above 255', { ...dai, decimals: 256 }, { ...dai, decimals: null }],
    ['decimals of 256 bits', { ...dai, decimals: `0x${'ff'.repeat(32)}` }, { ...dai, decimals: null }],
    ['negative decimals', { ...dai, decimals: -1 }, { ...dai, decimals: null }],
    ['nulls', { ...dai, name: null, decimals: null }, { ...dai, name: null, decimals: null }],
    ['empty strings', { ...dai, name: '', decimals: '', logo: '' }, { ...none, symbol: 'DAI' }],
    ['missing fields', { symbol: 'DAI' }, { ...none, symbol: 'DAI' }],
    ['a name with control characters', { ...none, name: ' D\u0000ai\u202e ' }, { ...none, name: 'Dai' }],
    ['an invisible name', { ...dai, name: '\u3164\u2800' }, { ...dai, name: null }],
    ['a javascript: logo', { ...dai, logo: 'javascript:alert(1)' }, { ...dai, logo: null }],
    ['only nulls', none, null],
    ['an empty object', {}, null],
    ['null', null, null],
  ])('decodeServiceMetadata accepts a result with %s', (_case, result, metadata) => {
    expect(decodeServiceMetadata(result)).toEqual(metadata);
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['a string', 'DAI'],
    ['a name that is a number', { ...dai, name: 1 }],
    ['decimals that are true', { ...dai, decimals: true }],
  ])('decodeServiceMetadata throws UPSTREAM_BAD_RESPONSE for %s', (_case, result) => {
    expect(() => decodeServiceMetadata(result)).toThrow(
      expect.objectContaining({ name: 'GraphError', code: 'UPSTREAM_BAD_RESPONSE' }),
    );
  });
});

describe('sanitizeLogoUri', () => {
  const accepted = [
    'https://logos.example/dai.png?x=1',
    'http://logos.example/dai.png',
    'HTTPS://logos.example/dai.png',
    'ipfs://QmXttGpZrECX5qCyXbBQiqgQNytVGeZW5Anewvh2jc4psg/logo.svg',
    'data:image/svg+xml;base64,PHN2Zy8+',
    'data:image/png,x',
    `data:image/png;base64,${'A'.repeat(16 * 1024 - 22)}`,
  ];
  const rejected = [
    'data:text/html,<script>alert(1)</script>',
    'data:image',
    'javascript:alert(1)',
    ' https://logos.example/dai.png',
    'java\nscript:alert(1)',
    'https://',
    'https:///dai.png',
    'https:dai.png',
    '//logos.example/dai.png',
    '/logos/dai.png',
    'https://[logos.example',
    'data:image/png',
    'file:///etc/passwd',
    'ftp://logos.example/dai.png',
    'dai.png',
    '',
    `data:image/png;base64,${'A'.repeat(16 * 1024 - 21)}`,
  ];

  test('sanitizeLogoUri returns http, https, ipfs and data:image URIs of at most 16 KiB unchanged', () => {
    expect(accepted.map(sanitizeLogoUri)).toEqual(accepted);
  });

  test('sanitizeLogoUri returns null for any other string', () => {
    expect(rejected.filter((logo) => sanitizeLogoUri(logo) !== null)).toEqual([]);
  });
});

test('sanitizeTokenText checks the length before it removes characters', () => {
  expect(sanitizeTokenText(`A${'\0'.repeat(511)}`)).toBe('A');
  expect(sanitizeTokenText(`A${'\0'.repeat(512)}`)).toBeNull();
});

import { type Input, RLP } from '@ethereumjs/rlp';
import { expect, test } from '@jest/globals';
import { keccak256 } from 'ethers/crypto';
import { EMPTY_TRIE_ROOT } from '../../../../src/ethereum/encoding/list-root.ts';
import { rlpItems, rlpListOf } from '../../../../src/ethereum/encoding/rlp.ts';
import { provenValue } from '../../../../src/ethereum/encoding/trie-proof.ts';
import { alteredProofs } from '../../../support/ethereum/altered-proofs.ts';
import { naiveTrie } from '../../../support/ethereum/naive-trie.ts';
import { createRandomChoices, type RandomChoices } from '../../../support/random-choices.ts';
import { readSeed, runSize } from '../../../support/random-tests.ts';

const SEED = readSeed();
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const pathOf = (key: string): string => keccak256(key).slice(2);
const KEY = '0x05';
const PATH = pathOf(KEY);

/** A trie with some of the keys, and with paths that share many digits with the path of a key, so that nodes are part of their parents. */
function randomTrie({ below, bytes, hex: randomHex, many, pick }: RandomChoices) {
  const keys = many(1 + below(20), () => randomHex(pick([20, 32])));
  const randomValue = () => RLP.encode(bytes(pick([1, 1, 2, 1 + below(32), 110])));
  const entries = new Map(keys.slice(below(keys.length + 1)).map((key) => [pathOf(key), randomValue()]));
  for (let left = 1 + below(40); left > 0; left--) {
    const shared = pick([below(64), 50 + below(14)]);
    entries.set(pathOf(pick(keys)).slice(0, shared) + randomHex(32).slice(2 + shared), randomValue());
  }
  const valueAt = (path: string) => (entries.has(path) ? hex(entries.get(path)!) : null);
  return { truth: new Map(keys.map((key) => [key, valueAt(pathOf(key))])), ...naiveTrie(entries) };
}

test('a proof of a random trie shows the value or the absence of its key, and nothing false once it is altered', () => {
  const counts = { values: 0, absences: 0, embedded: 0 };
  for (let run = 0; run < runSize(15, 500); run++) {
    const choices = createRandomChoices(SEED + run);
    const { truth, root, prove } = randomTrie(choices);
    const otherRoot = randomTrie(choices).root;
    for (const [key, value] of truth) {
      const proof = prove(pathOf(key));
      expect([root, otherRoot].map((start) => provenValue(start, key, proof))).toEqual([value, undefined]);
      for (const [other, itsValue] of truth) expect([itsValue, undefined]).toContain(provenValue(root, other, proof));
      counts[value === null ? 'absences' : 'values'] += 1;
      if (value !== null && RLP.decode(proof.at(-1)!).length === 17) counts.embedded += 1;
    }
    const [key] = choices.pick([...truth]);
    const accepted = [...alteredProofs(prove(pathOf(key)))].filter((altered) => provenValue(root, key, altered) !== undefined);
    expect({ root, key, accepted }).toEqual({ root, key, accepted: [] });
  }
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
});

test('the proof of an empty trie is empty or has the empty root alone', () => {
  const results = [[], ['0x80'], ['0x80', '0x80'], ['0x'], ['0xc0']].map((proof) => provenValue(EMPTY_TRIE_ROOT, KEY, proof));
  expect(results).toEqual([null, null, undefined, undefined, undefined]);
});

const branch = (child: Input, items = 17): Input[] => Array.from({ length: items }, (_, i) => (i === 16 ? '0x' : child));

test.each<[string, Input, string | null | undefined]>([
  ['a leaf', [`0x20${PATH}`, '0x07'], '07'],
  ['a leaf of another path', [`0x20${PATH.slice(1)}0`, '0x07'], null],
  ['an extension with a branch with a leaf', [`0x00${PATH.slice(0, 62)}`, branch([`0x3${PATH.slice(63)}`, '0x07'])], '07'],
  ['an extension of another path', [`0x1${PATH.slice(1)}`, branch('0x')], null],
  ['a branch without children', branch('0x'), null],
  ['a leaf of a shorter path', [`0x20${PATH.slice(2)}`, '0x07'], undefined],
  ['a leaf whose value is a list', [`0x20${PATH}`, ['0x07']], undefined],
  ['a leaf whose path is a list', [[`0x20${PATH}`], '0x07'], undefined],
  ['a path of an unknown kind', [`0x40${PATH}`, '0x07'], undefined],
  ['a path after a digit other than zero', [`0x21${PATH}`, '0x07'], undefined],
  ['an extension of no digits', ['0x00', branch('0x')], undefined],
  ['an extension of all digits', [`0x00${PATH}`, branch('0x')], undefined],
  ['an extension to no child', [`0x00${PATH.slice(0, 62)}`, '0x'], undefined],
  ['a branch of 16 items', branch('0x', 16), undefined],
  ['a branch with a value', branch('0x').with(16, '0x07'), undefined],
  ['no list', '0x07', undefined],
])('a proof whose root is %s shows the key as specified', (_case, node, result) => {
  const encoded = hex(RLP.encode(node));
  const root = keccak256(`0x${encoded}`);
  const proofs = [[`0x${encoded}`], [`0x${encoded.toUpperCase()}`], [`0x${encoded}`, '0x']];
  expect(proofs.map((proof) => provenValue(root, KEY, proof))).toEqual([result, result, undefined]);
});

test('rlpItems splits exactly the lists that @ethereumjs/rlp encodes, and other bytes prove no value', () => {
  for (const malformed of `c18 c182 c28107 c2b800 c3b80107 f80107 f90038${'07'.repeat(56)} c107c0 c2 07 `.split(' '))
    expect(rlpItems(malformed)).toBeUndefined();
  const { below, bytes, many, pick } = createRandomChoices(SEED);
  for (let run = 0; run < runSize(300, 10_000); run++) {
    const list: Input[] = many(below(20), () => pick([bytes(below(3)), bytes(pick([55, 56, 300])), [bytes(below(60))]]));
    const encoded = Buffer.from(RLP.encode(list));
    expect(rlpItems(hex(encoded))).toEqual(list.map((item) => hex(RLP.encode(item))));
    encoded[below(Math.min(encoded.length, 4))] = below(256);
    const changed = hex(encoded.subarray(0, pick([encoded.length, below(encoded.length)])));
    const split = rlpItems(changed);
    if (split) expect(rlpListOf(split.join(''))).toBe(changed);
    else expect(() => expect(RLP.decode(`0x${changed}`)).toBeInstanceOf(Array)).toThrow();
    for (const text of [`0x${changed}`, changed, encoded.toString('latin1')])
      expect([undefined, null]).toContain(provenValue(keccak256(`0x${changed}`), KEY, [text]));
  }
});

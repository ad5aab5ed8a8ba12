import type { RandomChoices } from '../../support/random-choices.ts';
import type { FuzzOperation } from './operations.ts';

export function bodyOf({ query, variables, operationName }: FuzzOperation): string {
  const name = operationName === undefined ? '' : `,"operationName":${JSON.stringify(operationName)}`;
  return `{"query":${JSON.stringify(query)},"variables":${variables}${name}}`;
}

const TOKENS = [...'{ } ( ) [ ] : ! $ @ ... " """ # | & = 0x -'.split(' '), '\\u', '\ufeff', '\0'];
const WORDS = 'query mutation subscription fragment on null true __typename __schema block hash e99'.split(' ');

/** Flips, removes, duplicates, swaps and inserts bytes, tokens and words. */
export function mutate(draw: RandomChoices, whole: Buffer): Buffer {
  let bytes = whole;
  for (let times = 1 + draw.below(6); times > 0; times -= 1) {
    const at = draw.below(bytes.length + 1);
    const to = Math.min(
      bytes.length,
      at +
        draw.weighted([
          [8, 1 + draw.below(4)],
          [2, draw.below(80)],
        ]),
    );
    const [before, part, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
    const put = draw.weighted<() => Buffer>([
      [3, () => Buffer.from(part.map((byte) => byte ^ (1 << draw.below(8))))],
      [2, () => Buffer.alloc(0)],
      [2, () => Buffer.concat([part, part])],
      [1, () => Buffer.concat(draw.many(draw.below(200), () => part))],
      [3, () => Buffer.concat([Buffer.from(draw.pick(TOKENS)), part])],
      [2, () => Buffer.concat([Buffer.from(` ${draw.pick(WORDS)} `), part])],
      [1, () => Buffer.concat([draw.bytes(1 + draw.below(8)), part])],
      [1, () => Buffer.concat([Buffer.from(draw.pick(TOKENS).repeat(draw.below(2_000))), part])],
    ])();
    bytes = draw.chance(0.05) ? Buffer.concat([before, put]) : Buffer.concat([before, put, after]);
  }
  return bytes;
}

export const KEYS = 'query variables operationName extensions id __proto__ constructor toJSON persistedQuery http'.split(' ');

export function randomJson(draw: RandomChoices, depth: number): string {
  return draw.weighted<() => string>([
    [
      2,
      () => draw.pick(['null', 'true', 'false', '0', '-1', '1e400', '9007199254740993', '0.1', '""', '"{chainID}"', '"\\ud800"']),
    ],
    [1, () => JSON.stringify(draw.bytes(draw.below(20)).toString('latin1'))],
    [depth > 0 ? 2 : 0, () => `[${draw.many(draw.below(5), () => randomJson(draw, depth - 1)).join(',')}]`],
    [
      depth > 0 ? 3 : 0,
      () => `{${draw.many(draw.below(5), () => `"${draw.pick(KEYS)}":${randomJson(draw, depth - 1)}`).join(',')}}`,
    ],
  ])();
}

export function randomBody(draw: RandomChoices, drawOperation: (draw: RandomChoices) => FuzzOperation): string {
  const deep = draw.pick([10, 1_000, 20_000]);
  return draw.weighted<() => string>([
    [5, () => randomJson(draw, 5)],
    [4, () => `{"query":"{ chainID }","${draw.pick(KEYS)}":${randomJson(draw, 4)}}`],
    [2, () => `[${draw.many(draw.below(4), () => bodyOf(drawOperation(draw))).join(',')}]`],
    [
      1,
      () =>
        `{"query":"query ($n: Long) { block(number: $n) { hash } }","variables":{"n":${'['.repeat(deep)}${']'.repeat(deep)}}}`,
    ],
    [1, () => `${'{"query":'.repeat(deep)}1${'}'.repeat(deep)}`],
    [1, () => `{"query":"{ chainID }","extensions":{"persistedQuery":${randomJson(draw, 2)}}}`],
    [1, () => `{"query":"{ chainID }","operationName":"${'N'.repeat(deep)}"}`],
  ])();
}

import type { RandomChoices } from '../random-choices.ts';
import { BODIES } from './bodies.ts';

type Path = readonly (string | number)[];

/** Returns a copy of a JSON value in which the field at a path has this value, or is missing if that is undefined. */
export function withField(body: unknown, path: Path, value: unknown): unknown {
  const copy: any = structuredClone(body);
  const parent = path.slice(0, -1).reduce((object, key) => object[key], copy);
  if (value === undefined) delete parent[path.at(-1)!];
  else parent[path.at(-1)!] = value;
  return copy;
}

/** The paths of all values in a JSON value, without its own. */
const pathsOf = (value: unknown): Path[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, child]) => [[key], ...pathsOf(child).map((path) => [key, ...path])])
    : [];

const VALUES: readonly unknown[] = [
  ...[undefined, null, true, '', '0', '0x', '0x0', '0X1', '-1', 0, -0, -1, 1.5, 1e300, 5e-324, 2 ** 53, 256],
  ...['\0', '\ud800', '\udc00x', '\u{1f600}', 'null', '{}', "'; drop table webhook_events; --", 'a'.repeat(10_001)],
  ...['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-12:00', '2026-02-30T00:00:00Z', '0099-01-01T00:00', '1969-12-31 00:00:00+14'],
  ...[`0x${'f'.repeat(16)}`, `0x${'f'.repeat(64)}`, `0x${'F'.repeat(40)}`, `0x${'0'.repeat(100)}1`, `0x${'0'.repeat(64)}`],
  ...[[], {}, [null], [[]], { length: 1 }, JSON.parse('{"__proto__":{"app":"shop"}}')],
];

/** Returns a body of a random type in which up to four values are replaced, removed or copied from elsewhere. */
export function createMutatedBody(draw: RandomChoices): unknown {
  let body: unknown = draw.pick(Object.values(BODIES));
  for (let count = draw.below(4) + 1; count > 0; count--) {
    const paths = pathsOf(body);
    if (paths.length === 0) return body;
    const path = draw.pick(paths);
    const other = draw.pick(paths).reduce((object: any, key) => object[key], body);
    body = withField(
      body,
      path,
      draw.weighted<unknown>([
        [4, draw.pick(VALUES)],
        [1, other],
        [1, draw.hex(draw.below(40))],
      ]),
    );
  }
  return body;
}

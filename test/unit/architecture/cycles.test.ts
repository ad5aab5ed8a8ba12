import { expect, test } from '@jest/globals';
import { importsOf, listFiles, readSource, sourcePaths, sourceText } from './source-files.ts';

type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** The files that a file can reach through imports. */
function reachableFrom(start: string, graph: ImportGraph): Set<string> {
  const reached = new Set<string>();
  const pending = [...(graph.get(start) ?? [])];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    pending.push(...(graph.get(path) ?? []));
  }
  return reached;
}

/** The groups of files that import each other, directly or through other files. */
function importCycles(graph: ImportGraph): string[][] {
  const reachable = new Map([...graph.keys()].map((path) => [path, reachableFrom(path, graph)] as const));
  const cyclic = [...graph.keys()].filter((path) => reachable.get(path)!.has(path));
  const groups = cyclic.map((path) =>
    cyclic.filter((other) => reachable.get(path)!.has(other) && reachable.get(other)!.has(path)),
  );
  return [...new Map(groups.map((group) => [group[0]!, group.sort()])).values()];
}

// Generated types import the models of a domain, which may use generated types: these cycles are allowed.
const isGenerated = (path: string): boolean => path.startsWith('generated/');

test('no files import each other in a cycle, type imports included', () => {
  const paths = sourcePaths.filter((path) => !isGenerated(path));
  const graph = new Map(paths.map((path) => [path, importsOf(path, sourceText(path)).filter((target) => !isGenerated(target))]));
  expect(importCycles(graph)).toEqual([]);
});

test('no files of the embedded network import each other in a cycle, type imports included', () => {
  const paths = listFiles('devnet/src/', ['.ts']).map((path) => path.slice('devnet/src/'.length));
  const graph = new Map(paths.map((path) => [path, importsOf(path, readSource(`devnet/src/${path}`))]));
  expect(importCycles(graph)).toEqual([]);
});

test('a cycle of three files is found, and a shared import is no cycle', () => {
  const graph = new Map([
    ['a.ts', ['b.ts', 'shared.ts']],
    ['b.ts', ['c.ts', 'shared.ts']],
    ['c.ts', ['a.ts']],
    ['shared.ts', []],
  ]);
  expect(importCycles(graph)).toEqual([['a.ts', 'b.ts', 'c.ts']]);
});

import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { listFiles, readSource } from './source-files.ts';

const { dependencies, devDependencies } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as Record<'dependencies' | 'devDependencies', Record<string, string>>;

const IMPORT = /(?:from|import|import\() *'((?:@[\w-]+\/)?[a-z][\w.-]*)(?:\/[^']*)?'/g;
const imported = new Set(
  [...listFiles('src/', ['.ts']), ...listFiles('playground/', ['.ts', '.tsx']), ...listFiles('explorer/', ['.ts', '.tsx'])]
    .filter((path) => !path.endsWith('.config.ts') && path !== 'playground/gzipped.ts')
    .flatMap((path) => [...readSource(path).matchAll(IMPORT)].map(([, name]) => name!)),
);

test('each package that the server and its pages import is a dependency, and no other one is', () => {
  expect(Object.keys(dependencies).filter((name) => !imported.has(name))).toEqual([]);
  expect(Object.keys(devDependencies).filter((name) => imported.has(name))).toEqual([]);
  expect([...imported]).toEqual(expect.arrayContaining(['fastify', 'graphql', 'react']));
});

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { transformSync } from '@swc/core';
import { buildSchema, parse, validate } from 'graphql';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { compileProject } from '../../support/clients/compile-project.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';

/** The examples in the pages about clients and in the recipes: each compiles, and the examples for Node run. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const pagesIn = (folder: string) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);
const START_PAGES = pagesIn('docs/start').map((path) => readFileSync(join(ROOT, path), 'utf8'));
const DOCUMENTS = ['docs/clients.md', 'docs/sync.md', 'clients/js/README.md', ...pagesIn('docs/recipes')]
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .concat(START_PAGES);
/** These need a browser, a wallet or a database, or are a configuration. */
const COMPILED_ONLY = [
  'app.tsx',
  'codegen.ts',
  'wagmi.ts',
  'event-source.ts',
  'use-apollo.ts',
  'use-urql.ts',
  'use-react-query.ts',
  'sync-postgres.ts',
];

const examples: ReadonlyMap<string, string> = new Map(
  DOCUMENTS.flatMap((text) => [...text.matchAll(/^```tsx?\n\/\/ (\S+)\n(.*?)^```/gms)].map(([, name, code]) => [name!, code!])),
);

let folder: string;
let graph: RunningGraph;

beforeAll(async () => {
  folder = createTemporaryFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  graph = await startGraph({ DEVNET_BLOCK_TIME: '0.3' });
});

test('each block of TypeScript in the documents has a name and compiles', () => {
  const blocks = DOCUMENTS.flatMap((text) => text.match(/^```tsx?$/gm) ?? []);
  expect(blocks).toHaveLength(examples.size);
  const files = Object.fromEntries([...examples].map(([name, code]) => [name, `${code}\nexport {};\n`]));
  expect(compileProject(folder, files)).toEqual([]);
});

test.each([...examples.keys()].filter((name) => !COMPILED_ONLY.includes(name)))('the example %s runs', (name) => {
  const file = join(folder, `run-${name}.mjs`);
  const source = examples.get(name)!.replaceAll('127.0.0.1:4000', new URL(graph.url).host);
  const { code } = transformSync(source, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } });
  writeFileSync(file, code);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: 60_000, cwd: folder });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/0x|\d/);
});

test.each(START_PAGES.flatMap((text) => text.match(/^curl .*graphql.*\n.*\n/gm) ?? []))(
  'the command %s returns data',
  (command) => {
    const { stdout } = spawnSync('bash', ['-c', command.replace('127.0.0.1:4000', new URL(graph.url).host)], {
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toMatchObject({ data: { block: expect.anything() } });
  },
);

test('each block of GraphQL in the documents is valid', () => {
  const schema = buildSchema(readFileSync(join(ROOT, 'schema/graph.graphql'), 'utf8'));
  const blocks = DOCUMENTS.flatMap((text) => [...text.matchAll(/^```graphql\n(.*?)^```/gms)].map(([, code]) => code!));
  expect(blocks.length).toBeGreaterThan(0);
  for (const block of blocks) expect(validate(schema, parse(block))).toEqual([]);
});

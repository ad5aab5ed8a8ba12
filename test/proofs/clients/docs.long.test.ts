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
/** Statements that end an example of a sync once it has logs, by the text before which they are inserted. Each prints the ids of the logs. */
const SYNC_ENDS: Readonly<Record<string, readonly [text: string, statements: string]>> = {
  'sync-pglite.ts': [
    'const client =',
    `setInterval(async () => {
      const { rows } = await database.query('select id from logs');
      if (rows.length > 3) process.exit(console.log(JSON.stringify(rows.map(({ id }) => id))));
    }, 50);`,
  ],
  'sync-tanstack-db.ts': [
    'export const createLogCollection',
    `queueMicrotask(() => {
      const logs = createLogCollection({}, 0);
      logs.subscribeChanges(() => {
        if (logs.size > 3) process.exit(console.log(JSON.stringify([...logs.keys()])));
      });
    });`,
  ],
};

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
  ...Object.keys(SYNC_ENDS),
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

/** Runs an example against the graph and returns its output. */
function runExample(name: string, example: string): string {
  const file = join(folder, `run-${name}.mjs`);
  const source = example.replaceAll('127.0.0.1:4000', new URL(graph.url).host);
  const { code } = transformSync(source, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } });
  writeFileSync(file, code);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: 60_000, cwd: folder });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

test.each([...examples.keys()].filter((name) => !COMPILED_ONLY.includes(name)))('the example %s runs', (name) => {
  expect(runExample(name, examples.get(name)!)).toMatch(/0x|\d/);
});

test.each(Object.entries(SYNC_ENDS))('the example %s stores the logs of the chain', async (name, [text, statements]) => {
  // Outside of a browser, PGlite stores nothing on disk.
  const example = examples.get(name)!.replace('idb://shop', 'memory://');
  const ids = JSON.parse(runExample(name, example.replace(text, `${statements}\n${text}`)));
  const { data } = await graph.execute('{ logs(filter: { fromBlock: 0 }) { id } }');
  // A collection has an order of its own.
  const first: string[] = data.logs.slice(0, ids.length).map(({ id }: { id: string }) => id);
  expect(ids.toSorted()).toEqual(first.toSorted());
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

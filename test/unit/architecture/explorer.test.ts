import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { buildSchema, type GraphQLError, Kind, parse, validate } from 'graphql';
import { onChain, readsAllChains } from '../../../explorer/graph/chain-document.ts';
import { graphql } from '../../../explorer/graph/documents.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { listFiles, readSource } from './source-files.ts';

/** Maximum number of lines of the operation and the data code of a page. */
const MAX_LINES = 39;
/** Maximum size of all files of the explorer, gzipped, in bytes. */
const MAX_BYTES = 250 * 1024;

const root = new URL('../../../', import.meta.url);
const pages = readdirSync(new URL('explorer/pages/', root));

test('each page of the explorer is a view and a query of less than 40 lines', () => {
  expect(pages.length).toBeGreaterThan(8);
  const tooLong = pages.flatMap((page) => {
    expect([page, readdirSync(new URL(`explorer/pages/${page}/`, root)).sort()]).toEqual([page, ['query.ts', 'view.tsx']]);
    const lines = readSource(`explorer/pages/${page}/query.ts`).trimEnd().split('\n').length;
    return lines > MAX_LINES ? [`${page}: ${lines}`] : [];
  });
  expect(tooLong).toEqual([]);
});

test('views and components of the explorer request no data', () => {
  const views = listFiles('explorer/', ['.tsx']).filter((path) => /\/(pages|components)\//.test(path));
  expect(views.filter((path) => /graphql\(|fetch\(|useGraph\(|useEvents\(/.test(readSource(path)))).toEqual([]);
});

const textOf = graphql as unknown as (document: string) => string;

test('documents of the explorer are valid against schema/graph.graphql, also on another chain', () => {
  const schema = buildSchema(readSource('schema/graph.graphql'));
  const files = listFiles('explorer/', ['.ts', '.tsx']).map((path) => ({ path, text: readSource(path) }));
  let operations = 0;
  for (const { path, text } of files) {
    const documents = [...text.matchAll(/graphql\(\s*`([^`]+)`/g)].map(([, document]) => textOf(document!));
    if (documents.length === 0) continue;
    const { definitions } = parse(documents.join('\n'));
    const count = definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length;
    operations += count;
    const onOtherChain = documents.map((document) => (readsAllChains(document) ? document : onChain(document)));
    const errors = [documents, onOtherChain].flatMap((texts): readonly GraphQLError[] =>
      validate(schema, parse(texts.join('\n'))),
    );
    expect([path, errors.map(({ message }) => message)]).toEqual([path, []]);
  }
  expect(operations).toBeGreaterThan(pages.length);
});

test('all files of the explorer have at most 250 KB, gzipped', () => {
  const folder = createTemporaryFolder();
  const vite = fileURLToPath(new URL('node_modules/vite/bin/vite.js', root));
  const config = fileURLToPath(new URL('explorer/vite.config.ts', root));
  execFileSync(process.execPath, [vite, 'build', '--config', config, '--outDir', folder], { stdio: 'pipe' });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const sizes = files
    .filter(({ name }) => !name.endsWith('.gz'))
    .map(({ parentPath, name }) => gzipSync(readFileSync(join(parentPath, name))).byteLength);
  expect(sizes.length).toBeGreaterThan(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_BYTES);
});

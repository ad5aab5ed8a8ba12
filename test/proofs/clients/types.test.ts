import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { buildSchema, isScalarType, isSpecifiedScalarType } from 'graphql';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { compileProject } from '../../support/clients/compile-project.ts';

/** The types that users of the built package see: a project outside of the repository is compiled by tsc. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SCHEMA = join(ROOT, 'schema/graph.graphql');
const CODEGEN = join(ROOT, 'node_modules/@graphql-codegen/cli/esm/bin.js');

const folder = createTemporaryFolder();
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');

/** Fails to compile where the types differ; `unknown` and `any` equal only themselves. */
const EQUAL = `
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const assert = <T extends true>(holds: T): T => holds;
type Hex = \`0x\${string}\`;
`;

/** A query with a field of each custom scalar. */
const OPERATION = `query Types($address: Address!, $at: Long) {
  block(number: $at) { id number hash timestampISO baseFeePerGas extraData account(address: $address) { id address balance code } }
  wizard(id: 1) { id power }
}`;

const ASSERTIONS = `
type Block = NonNullable<Result['block']>;
assert<Equal<Block['id'], string>>(true);
assert<Equal<Block['number'], Hex>>(true);
assert<Equal<Block['hash'], Hex>>(true);
assert<Equal<Block['baseFeePerGas'], Hex | null>>(true);
assert<Equal<Block['extraData'], Hex>>(true);
assert<Equal<Block['timestampISO'], string>>(true);
assert<Equal<Block['account']['address'], Hex>>(true);
assert<Equal<Block['account']['balance'], Hex>>(true);
assert<Equal<NonNullable<Result['wizard']>['power'], string>>(true);
`;

test('the types of gql.tada have no unknown scalar', () => {
  const source = `
import { type ResultOf, type VariablesOf, graphql } from '@grimoire/client/tada';
import type { Scalars } from '@grimoire/client';
${EQUAL}
const query = graphql(\`${OPERATION}\`);
type Result = ResultOf<typeof query>;
${ASSERTIONS}
assert<Equal<VariablesOf<typeof query>['address'], Hex>>(true);
assert<Equal<Scalars['Long'], Hex>>(true);
`;
  expect(compileProject(folder, { 'tada.ts': source })).toEqual([]);
  const [first] = compileProject(folder, { 'tada.ts': source.replace("['id'], string>", "['id'], unknown>") });
  expect(first).toContain('tada.ts');
});

test('the types of the codegen preset have no unknown scalar', () => {
  const project = join(folder, 'codegen');
  mkdirSync(project);
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(project, 'codegen.mjs'),
    `import { defineCodegen } from '@grimoire/client/codegen';
export default defineCodegen({ schema: ${JSON.stringify(SCHEMA)}, documents: 'app.ts' });`,
  );
  const source = `
import { graphql } from './src/graph/gql.js';
import type { TypesQuery as Result, TypesQueryVariables } from './src/graph/graphql.js';
${EQUAL}
export const query = graphql(\`${OPERATION}\`);
${ASSERTIONS}
const variables: TypesQueryVariables = { address: '0x00', at: 20 };
void variables;
`;
  writeFileSync(join(project, 'app.ts'), source);
  const { status, stderr, stdout } = spawnSync(process.execPath, [CODEGEN, '--config', 'codegen.mjs'], {
    cwd: project,
    encoding: 'utf8',
  });
  expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
  expect(compileProject(project, { 'app.ts': source })).toEqual([]);
  expect(readFileSync(join(project, 'src/graph/graphql.ts'), 'utf8')).not.toMatch(/unknown;|\bany\b.*;$/m);
});

test('the declarations of every entry of the package compile', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'clients/js/package.json'), 'utf8'));
  const names = Object.keys(exports).map((path) => path.replace('.', '@grimoire/client'));
  const imports = names.map((name, i) => `export * as entry${i} from '${name}';`).join('\n');
  expect(compileProject(folder, { 'entries.ts': imports })).toEqual([]);
});

test('Scalars has each custom scalar of the schema, and the schema specifies each', () => {
  const schema = buildSchema(readFileSync(SCHEMA, 'utf8'));
  const custom = Object.values(schema.getTypeMap()).filter((type) => isScalarType(type) && !isSpecifiedScalarType(type));
  const declared = readFileSync(join(ROOT, 'clients/js/src/scalars.ts'), 'utf8');
  const names = [...declared.slice(0, declared.indexOf('interface ScalarInputs')).matchAll(/^ {2}(\w+): /gm)].map(
    ([, name]) => name,
  );
  expect(names.sort()).toEqual(custom.map(({ name }) => name).sort());
  for (const scalar of custom) expect(isScalarType(scalar) && scalar.specifiedByURL).toMatch(/^https:\/\//);
});

test('the packed package has each file of its exports', () => {
  const [{ files }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--workspace', '@grimoire/client'], {
      cwd: ROOT,
      encoding: 'utf8',
    }),
  );
  const packed = files.map(({ path }: { path: string }) => `./${path}`);
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'clients/js/package.json'), 'utf8'));
  const targets = Object.values<Record<string, string>>(exports).flatMap((entry) => Object.values(entry));
  expect(packed).toEqual(expect.arrayContaining([...targets, './README.md', './package.json', './LICENSE']));
  expect(targets.every((path) => existsSync(join(ROOT, 'clients/js', path)))).toBe(true);
});

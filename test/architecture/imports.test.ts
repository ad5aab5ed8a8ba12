import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from '@jest/globals';

/** Who may import whom. A folder may always import itself; what is not named here belongs to nobody, and that is an error too. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  errors: [],
  logger: [],
  hosts: [],
  config: ['errors', 'upstream'],
  ethereum: ['errors'],
  upstream: ['errors', 'ethereum'],
  sync: ['errors', 'ethereum', 'upstream'],
  graphql: ['errors', 'ethereum', 'upstream'],
  snapshot: ['errors', 'ethereum', 'upstream', 'sync', 'graphql'],
  'domains/chain': ['errors', 'ethereum', 'upstream', 'sync', 'graphql', 'snapshot', 'generated'],
  'domains/tokens': ['errors', 'ethereum', 'upstream', 'graphql', 'snapshot', 'generated'],
  'domains/wizards': ['errors', 'ethereum', 'upstream', 'sync', 'graphql', 'snapshot', 'generated'],
  domains: ['domains/chain', 'domains/tokens', 'domains/wizards'],
  server: ['errors', 'hosts', 'ethereum', 'graphql'],
  devnet: ['errors', 'hosts'],
  generated: ['ethereum', 'domains/chain', 'domains/tokens', 'domains/wizards'],
  banner: ['devnet'],
  metrics: ['upstream', 'sync', 'server', 'snapshot'],
  'v8-flags': [],
  main: [
    'errors',
    'logger',
    'config',
    'hosts',
    'banner',
    'metrics',
    'v8-flags',
    'upstream',
    'sync',
    'graphql',
    'snapshot',
    'server',
    'domains/chain',
    'domains/tokens',
    'domains/wizards',
    'domains',
    'devnet',
  ],
};

const SRC = new URL('../../src/', import.meta.url);

/** The room that a file of src belongs to: its domain, its folder, or itself when it lies on the floor. */
function folderOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  return first === 'domains' && !second.endsWith('.ts') ? `${first}/${second}` : first.replace(/\.ts$/, '');
}

const filesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, SRC)).flatMap((name) =>
    statSync(new URL(`${folder}${name}`, SRC)).isDirectory() ? filesIn(`${folder}${name}/`) : [`${folder}${name}`],
  );

/** Every import of a source text, as a path from src. Types count: a room that knows another's types depends on it. */
const importsOf = (path: string, text: string): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map(([, target]) =>
    new URL(target!, new URL(path, SRC)).pathname.slice(SRC.pathname.length),
  );

/** The imports of a source text that the house does not allow. */
function forbiddenImports(path: string, text: string): string[] {
  const room = folderOf(path);
  const allowed = MAY_IMPORT[room];
  if (!allowed) return [`${path} lies in no room`];
  return importsOf(path, text)
    .filter((target) => folderOf(target) !== room && !allowed.includes(folderOf(target)))
    .map((target) => `${path} imports ${target}`);
}

const sources = filesIn('').filter((path) => path.endsWith('.ts'));

test.each(Object.keys(MAY_IMPORT))('%s imports only what the house allows', (room) => {
  const files = sources.filter((path) => folderOf(path) === room);
  expect(files).not.toEqual([]);
  expect(files.flatMap((path) => forbiddenImports(path, readFileSync(new URL(path, SRC), 'utf8')))).toEqual([]);
});

test('every source lies in a room', () => {
  expect(sources.filter((path) => !MAY_IMPORT[folderOf(path)])).toEqual([]);
});

test.each([
  ['a transport that knows a domain', 'upstream/rpc/http-batches.ts', "import { chain } from '../../domains/chain/index.ts';"],
  [
    'a server that knows a domain, by type alone',
    'server/http.ts',
    "import type { ChainContext } from '../domains/chain/index.ts';",
  ],
  ['a devnet that knows the graph', 'devnet/index.ts', "const { compose } = await import('../graphql/federation/compose.ts');"],
  ['a domain that knows another', 'domains/wizards/index.ts', "export { chain } from '../chain/index.ts';"],
  ['a source in a room of its own', 'helpers/misc.ts', ''],
])('the rule sees %s', (_case, path, text) => {
  expect(forbiddenImports(path, text)).toHaveLength(1);
});

/** Resolvers never see a transport or the name of a wire method; the wire's names live in methods. */
const resolvers = sources.filter((path) => /^domains\/\w+\/resolvers\//.test(path));

test('resolvers name no wire method and no transport', () => {
  expect(resolvers.length).toBeGreaterThan(5);
  const told = resolvers.map((path) => [path, readFileSync(new URL(path, SRC), 'utf8')] as const);
  expect(
    told.filter(([, text]) => /'(?:eth|net|web3)_\w+'|(?:http-batches|websocket[a-z-]*)\.ts'/.test(text)).map(([path]) => path),
  ).toEqual([]);
});

test.each([
  ['the environment is read', /process\.env/, ['config.ts', 'v8-flags.ts']],
  ['the process is ended', /process\.exit\(/, ['main.ts']],
  ['something is written to the console', /console\./, []],
])('the place where %s is known', (_case, pattern, places) => {
  const found = sources.filter((path) => pattern.test(readFileSync(new URL(path, SRC), 'utf8')));
  expect(found).toEqual(places);
});

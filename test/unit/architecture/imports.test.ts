import { expect, test } from '@jest/globals';
import { domains } from '../../../src/app/installed-domains.ts';
import { importsOf, listFiles, readSource, sourcePaths, sourceText } from './source-files.ts';

/**
 * The modules that each module may import, besides itself: the folders of src, from the lowest to the highest. `domains` is
 * the contract of a domain. A key `domains/*` or `generated/*` stands for each domain or its generated types; in a list they
 * mean the domain of the key, except that `domains/*` in the list of `app` means every domain.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  lib: [],
  ethereum: ['lib'],
  upstream: ['lib', 'ethereum'],
  database: ['lib'],
  config: ['lib', 'ethereum', 'upstream'],
  sync: ['lib', 'ethereum', 'upstream'],
  graphql: ['lib', 'ethereum'],
  operation: ['lib', 'ethereum', 'upstream', 'sync', 'graphql'],
  snapshot: ['lib', 'ethereum', 'upstream', 'sync', 'graphql', 'operation'],
  domains: ['lib', 'ethereum', 'upstream', 'sync', 'graphql', 'operation', 'snapshot', 'database', 'config'],
  'domains/*': [
    'lib',
    'ethereum',
    'upstream',
    'sync',
    'graphql',
    'operation',
    'snapshot',
    'database',
    'config',
    'domains',
    'generated/*',
  ],
  'generated/*': ['ethereum', 'domains/*'],
  observability: ['lib', 'upstream', 'operation'],
  server: ['lib', 'ethereum', 'graphql', 'operation'],
  app: [
    'lib',
    'ethereum',
    'upstream',
    'database',
    'config',
    'sync',
    'graphql',
    'operation',
    'snapshot',
    'domains',
    'domains/*',
    'observability',
    'server',
  ],
  mcp: ['lib', 'config', 'graphql', 'server'],
  workers: ['lib', 'ethereum', 'upstream', 'config', 'sync', 'snapshot', 'domains', 'observability', 'server', 'app'],
  cli: ['lib', 'config', 'graphql', 'domains', 'server', 'app', 'mcp', 'workers'],
  main: ['cli'],
};

/** The module of a source: a domain, the generated types of a domain, a folder of src, or the file itself. */
function moduleOf(path: string): string {
  const [first = '', second = '', ...rest] = path.split('/');
  if (first === 'generated') return `generated/${second.replace(/\.ts$/, '')}`;
  return first === 'domains' && rest.length > 0 ? `domains/${second}` : first.replace(/\.ts$/, '');
}

const ruleOf = (module: string): readonly string[] | undefined => {
  const [folder, domain] = module.split('/');
  return MAY_IMPORT[domain === undefined ? module : `${folder}/*`]?.map((allowed) => allowed.replace('*', domain ?? '*'));
};

/** The imports of a source that the rules forbid. */
function forbiddenImports(path: string, text: string): string[] {
  const module = moduleOf(path);
  const allowed = ruleOf(module);
  if (!allowed) return [`${path} belongs to no module`];
  const isAllowed = (target: string) =>
    target === module || allowed.includes(target) || (target.startsWith('domains/') && allowed.includes('domains/*'));
  return importsOf(path, text)
    .filter((target) => !isAllowed(moduleOf(target)))
    .map((target) => `${path} imports ${target}`);
}

const modules = [...new Set(sourcePaths.map(moduleOf))];

test.each(modules)('%s imports only the modules below it', (module) => {
  const paths = sourcePaths.filter((path) => moduleOf(path) === module);
  expect(paths.flatMap((path) => forbiddenImports(path, sourceText(path)))).toEqual([]);
});

test('every rule about imports is for a module that exists', () => {
  const rules = new Set(modules.map((module) => module.replace(/\/.*/, '/*')));
  expect(Object.keys(MAY_IMPORT).filter((rule) => !rules.has(rule))).toEqual([]);
});

test.each([
  ['a transport that imports a domain', 'upstream/rpc/node.ts', "import { chain } from '../../domains/chain/index.ts';"],
  ['a server that imports the contract of domains', 'server/http.ts', "import type { Domain } from '../domains/domain.ts';"],
  ['a domain that imports another', 'domains/wizards/index.ts', "export { chain } from '../chain/index.ts';"],
  ['a source outside of every module', 'helpers/misc.ts', ''],
])('the rules about imports reject %s', (_case, path, text) => {
  expect(forbiddenImports(path, text)).toHaveLength(1);
});

/** Imports of a file from the other package. The server is in `src`, the embedded network in `devnet/src`. */
function crossings(path: string, text: string): string[] {
  const ownFolder = path.startsWith('devnet/') ? 'devnet/' : 'src/';
  const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+|@grimoire\/devnet[^']*|grimoire[^']*)'/g)];
  return targets.flatMap(([statement, target]) => {
    const isOwn = target!.startsWith('.') && new URL(target!, `file:///${path}`).pathname.startsWith(`/${ownFolder}`);
    const isTheEntry = path === 'src/app/network.ts' && statement === "import('@grimoire/devnet'";
    return isOwn || isTheEntry ? [] : [`${path} imports ${target}`];
  });
}

test('the server and the embedded network share no code: one dynamic import starts the network', () => {
  const paths = [...listFiles('src/', ['.ts'], true), ...listFiles('devnet/src/', ['.ts'])];
  expect(paths.filter((path) => path.startsWith('devnet/')).length).toBeGreaterThan(50);
  expect(paths.flatMap((path) => crossings(path, readSource(path)))).toEqual([]);
});

test.each([
  ['a static import of the network', 'src/app/network.ts', "import { startDevnet } from '@grimoire/devnet';"],
  ['a second dynamic import of the network', 'src/cli/index.ts', "await import('@grimoire/devnet');"],
  ['a network that imports the server', 'devnet/src/index.ts', "import { GraphError } from '../../../src/lib/errors.ts';"],
])('the rule about shared code rejects %s', (_case, path, text) => {
  expect(crossings(path, text)).toHaveLength(1);
});

/**
 * Inside a domain: resolvers -> loaders, subscriptions -> wire methods or service -> upstream. The layer is in the name of a file (`resolve.ts`,
 * `load-pending.ts`, `methods.ts`) or of a folder (`resolvers`, `loaders`). Resolvers may also import types, and the tables of wire methods that map
 * fields to methods (`accountReads`), of which they pass entries to a loader.
 */
const RESOLVERS = /^domains\/\w+\/(?:.*\/)?(?:resolvers(?:\/|\.ts)|resolve(?:-[a-z-]+)?\.ts)/;
const LOADERS = /^domains\/\w+\/(?:.*\/)?(?:loaders(?:\/|\.ts)|subscriptions\/|load(?:-[a-z-]+)?\.ts)/;
const METHODS = /^domains\/\w+\/(?:.*\/)?(?:service\/|(?:[a-z]+-)?methods\.ts)/;

const isIn =
  (...layers: readonly RegExp[]) =>
  (path: string) =>
    layers.some((layer) => layer.test(path));
const isResolver = isIn(RESOLVERS);
const isLoader = (path: string): boolean => LOADERS.test(path) && !isResolver(path);

const DOMAIN_LAYERS: readonly {
  readonly isInLayer: (path: string) => boolean;
  readonly mayNotImport: (path: string) => boolean;
}[] = [
  { isInLayer: isResolver, mayNotImport: isIn(/^(?:upstream|sync)\//, METHODS) },
  { isInLayer: isLoader, mayNotImport: isResolver },
  { isInLayer: isIn(METHODS), mayNotImport: (path) => isResolver(path) || isLoader(path) },
];

const ALLOWED_STATEMENTS = /^import type [^;]*;|^import \{ \w+Reads(?:, \w+Reads)* \} from '[^']*methods\.ts';/gm;

const brokenLayers = (path: string, text: string): string[] =>
  DOMAIN_LAYERS.filter(({ isInLayer }) => isInLayer(path)).flatMap(({ mayNotImport }) =>
    importsOf(path, text.replace(ALLOWED_STATEMENTS, ''))
      .filter(mayNotImport)
      .map((target) => `${path} imports ${target}`),
  );

test('the layers inside a domain import only the layers below them', () => {
  expect(sourcePaths.flatMap((path) => brokenLayers(path, sourceText(path)))).toEqual([]);
});

test.each([
  ['a resolver that imports wire methods', 'domains/chain/block/resolve.ts', "import { blockBy } from './methods.ts';"],
  [
    'a resolver that imports a service',
    'domains/wizards/resolvers.ts',
    "import { fetchDuels } from './service/wizard-service.ts';",
  ],
  ['a loader that imports a resolver', 'domains/chain/block/load.ts', "import { x } from './resolve.ts';"],
  ['wire methods that import a loader', 'domains/chain/transaction/methods.ts', "import { x } from './load-pending.ts';"],
])('the rules about layers reject %s', (_case, path, text) => {
  expect(brokenLayers(path, text)).toHaveLength(1);
});

test('resolvers contain no name of a wire method', () => {
  const resolvers = sourcePaths.filter(isResolver);
  expect(resolvers.length).toBeGreaterThan(5);
  expect(resolvers.filter((path) => /'(?:eth|net|web3)_\w+'/.test(sourceText(path)))).toEqual([]);
});

test.each([
  ['process.env', /process\.env/, ['cli/v8-flags.ts', 'config/settings.ts']],
  ['process.exit', /process\.exit\(/, ['cli/index.ts']],
  ['console', /console\./, []],
])('%s is used only in its own files', (_name, pattern, paths) => {
  expect(sourcePaths.filter((path) => pattern.test(sourceText(path)))).toEqual(paths);
});

test('the cost estimate names no entity of a domain', () => {
  const paths = sourcePaths.filter((path) => path.startsWith('graphql/cost/'));
  expect(paths.length).toBeGreaterThan(3);
  const named = /block|\bhead|height|transaction|receipt|\blogs?\b|Logs?\b/i;
  expect(paths.flatMap((path) => sourceText(path).match(named) ?? [])).toEqual([]);
});

/** The list of domains, the settings and services of the embedded network, and the ABIs that every server decodes. */
const MAY_NAME_DOMAINS = [
  'app/installed-domains.ts',
  'app/network.ts',
  'config/embedded-settings.ts',
  'ethereum/abi/standards.ts',
];

/** The code of a source: its text without comments and without texts for people, which contain a space. */
const codeOf = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\/|\/\/ .*/g, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|`[^`]*`/g, (literal) => (literal.includes(' ') ? '' : literal));

const namesDomain = (text: string): boolean => {
  const names = domains.map(({ name }) => name.replace(/s$/, '')).filter((name) => name !== 'chain' && name !== 'token');
  return new RegExp([...names, 'tournament', 'duel'].join('|'), 'i').test(codeOf(text));
};

test('no source outside of the domains names a domain', () => {
  const paths = sourcePaths.filter((path) => !/^generated\/|^domains\/\w+\//.test(path));
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => namesDomain(sourceText(path)))).toEqual(MAY_NAME_DOMAINS);
});

test.each([
  ['a setting', 'const isUnset = values.WIZARDS_URL === undefined;'],
  ['the name of a contract', "const abi = { contractName: 'Tournament' };"],
  ['a path', "post('/webhooks');"],
])('the rule about names of domains finds %s', (_case, text) => {
  expect(namesDomain(`/** Wizards. */ ${text} log('no webhooks are served');`)).toBe(true);
  expect(namesDomain("/** Wizards. */ log('no webhooks are served');")).toBe(false);
});

import { groupTests } from './test/support/test-groups.js';

// As the server sets it: graphql-js checks every value for a second copy of itself otherwise.
process.env.NODE_ENV = 'production';
// The seed of all random tests of a run; a run that fails prints it.
process.env.SEED ??= String(Math.floor(Math.random() * 2 ** 32));

/** The tests of these folders. They run the sources; the tests that start a process run the built program. */
const project = (displayName, folders, { sharedDevnet = true } = {}) => ({
  displayName,
  testEnvironment: 'node',
  testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
  // A `.long.test.ts` takes from ten seconds to some minutes.
  testPathIgnorePatterns: process.env.PROVE || process.env.LONG_TESTS ? [] : ['\\.long\\.test\\.ts$'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^@grimoire/devnet$': '<rootDir>/devnet/src/index.ts' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, sourceMaps: 'inline', module: { type: 'es6' } },
    ],
  },
  ...(sharedDevnet && {
    globalSetup: '<rootDir>/test/support/shared-devnet.js',
    globalTeardown: '<rootDir>/test/support/stop-shared-devnet.js',
  }),
  // `npm run prove` runs the tests at full size.
  globals: process.env.PROVE === 'true' ? { PROVE: true } : {},
});

/** The tests of a folder, of which several share their modules if the command sets GROUPED: a path selects single files. */
const groupedProject = (folder) => ({
  ...project(folder, [folder]),
  ...(process.env.GROUPED && { testMatch: groupTests(`test/${folder}`) }),
});

/** The commands of package.json select projects; CONTRIBUTING.md lists them. */
export default {
  projects: [
    groupedProject('unit'),
    groupedProject('api'),
    project('process', ['process']),
    // Exhaustive: simulations, and each method, path and fault against its specification.
    project('proofs', ['proofs']),
    // The graph over the other nodes that npm offers.
    project('nodes', ['external/nodes']),
    // The subgraphs behind the routers from npm.
    project('routers', ['external/routers']),
    // Two processes behind nginx, which must be installed.
    project('nginx', ['external/nginx'], { sharedDevnet: false }),
    // The packed packages, installed in an empty folder.
    project('package', ['external/package'], { sharedDevnet: false }),
  ],
  // Twice the cores of the smallest machine: tests wait for sockets, processes and pages half of their time.
  maxWorkers: 4,
  // Node does not free the modules of a finished test file, so a worker restarts once it has grown this large.
  workerIdleMemoryLimit: '800MB',
  // Ends a test that hangs; a busy machine must not reach it. Jest has no timeout of a project: the commands of longer tests pass theirs.
  testTimeout: 120_000,
  reporters: ['default', '<rootDir>/test/support/plain-reporter.js'],
};

// As the server sets it: graphql-js checks every value for a second copy of itself otherwise.
process.env.NODE_ENV = 'production';

/** The tests of `npm test`. They run the sources; the tests that start a process run the built program. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // These have commands of their own: `npm run test:nodes`, `npm run test:routers`, `npm run test:package` and `npm run test:proofs`.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(nodes|routers|package|simulation|conformance)/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^@grimoire/devnet$': '<rootDir>/devnet/src/index.ts' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, sourceMaps: 'inline', module: { type: 'es6' } },
    ],
  },
  globalSetup: '<rootDir>/test/support/shared-devnet.js',
  globalTeardown: '<rootDir>/test/support/stop-shared-devnet.js',
  // One more than the cores of the smallest machine: tests wait for sockets and processes a third of their time.
  maxWorkers: 3,
  // Node does not free the modules of a finished test file, so a worker restarts once it has grown this large.
  workerIdleMemoryLimit: '800MB',
  reporters: ['default', '<rootDir>/test/support/plain-reporter.js'],
  // Ends a test that hangs; a busy machine must not reach it.
  testTimeout: 120_000,
};

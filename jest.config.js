/** One process a core, ESM all the way: the tests run the sources, the wire tests the built program. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // These need an install of their own: `npm run test:nodes`.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/nodes/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, sourceMaps: 'inline', module: { type: 'es6' } },
    ],
  },
  reporters: ['default', '<rootDir>/test/support/plain-reporter.js'],
  // For a hang, not for a machine that is busy with other things.
  testTimeout: 120_000,
};

/** One process a core, ESM all the way: the tests run the sources, the wire tests the built program. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, sourceMaps: 'inline', module: { type: 'es6' } },
    ],
  },
  reporters: ['default', '<rootDir>/test/kit/plain-reporter.js'],
  testTimeout: 30_000,
};

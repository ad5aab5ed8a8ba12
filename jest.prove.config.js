import config from './jest.config.js';

/** The long proofs: the tests of test/simulation at their full size. In `npm test` the same tests run short. */
export default {
  ...config,
  testMatch: ['<rootDir>/test/simulation/**/*.test.ts'],
  globals: { PROVE: true },
  testTimeout: 30 * 60_000,
  maxWorkers: 1,
};

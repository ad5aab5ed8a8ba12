import config from './jest.config.js';

/**
 * The tests that are exhaustive: simulations at a small size, and each method, path and fault against its specification:
 * `npm run test:proofs`.
 */
export default {
  ...config,
  testMatch: ['<rootDir>/test/{simulation,conformance}/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 5 * 60_000,
};

import config from './jest.config.js';

/** The simulations at a small size: `npm run test:proofs`. */
export default {
  ...config,
  testMatch: ['<rootDir>/test/simulation/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 5 * 60_000,
};

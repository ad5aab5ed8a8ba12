import config from './jest.config.js';

/** The graph in front of nodes from npm, which are installed first: `npm run test:nodes`. */
export default {
  ...config,
  testMatch: ['<rootDir>/test/nodes/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 2 * 60_000,
  maxWorkers: 1,
};

import config from './jest.config.js';

/** The graph over the other nodes that npm offers, which are installed first: `npm run test:nodes`. */
export default {
  ...config,
  testMatch: ['<rootDir>/test/nodes/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
};

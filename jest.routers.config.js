import config from './jest.config.js';

/** The subgraphs behind the routers from npm, which are installed first: `npm run test:routers`. */
export default {
  ...config,
  testMatch: ['<rootDir>/test/routers/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // A file starts up to twelve processes, and waits for them half of its time.
  maxWorkers: 2,
};

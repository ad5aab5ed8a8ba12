import config from './jest.config.js';

/** The packed packages, installed in an empty folder: `npm run test:package`. */
const { globalSetup, globalTeardown, ...shared } = config;

export default {
  ...shared,
  testMatch: ['<rootDir>/test/package/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 5 * 60_000,
};

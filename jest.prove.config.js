import config from './jest.config.js';

/** All tests but those over other nodes, behind routers and of the package, at full size, one file at a time because some measure latency: `npm run prove`. */
export default {
  ...config,
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(nodes|routers|package)/'],
  globals: { PROVE: true },
  testTimeout: 30 * 60_000,
  maxWorkers: 1,
};

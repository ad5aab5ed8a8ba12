import config from './jest.proofs.config.js';

/** The simulations at full size, one at a time because some measure latency: `npm run prove`. */
export default {
  ...config,
  globals: { PROVE: true },
  testTimeout: 30 * 60_000,
  maxWorkers: 1,
};

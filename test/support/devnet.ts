import { type DevnetOptions, startDevnet } from '../../devnet/src/index.ts';
import { untilTestsEnd } from './cleanups.ts';
import { log } from './silent-log.ts';

/** Starts a devnet, by default without activity. It mines each transaction at once, and stops after the tests of the file. */
export const startTestDevnet = async (options: Partial<DevnetOptions> = {}) =>
  untilTestsEnd(await startDevnet({ hasActivity: false, log, ...options }));

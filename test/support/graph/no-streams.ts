import { createStreams } from '../../../src/domains/chain/streams/index.ts';
import { log } from '../silent-log.ts';

/** The named streams of a server without a database. */
export const NO_STREAMS = createStreams(undefined, { maxStreams: 1, retentionDays: 1, log });

import { pino } from 'pino';

/** For code that a test does not read the log of. */
export const log = pino({ level: 'silent' });

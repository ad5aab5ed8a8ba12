import { integer, setting } from '../../config/settings.ts';

/** Default of MAX_BLOCKS. */
export const DEFAULT_MAX_BLOCKS = 100;

export const chainSettings = {
  MAX_BLOCKS: setting(integer(1).default(DEFAULT_MAX_BLOCKS), {
    about:
      'Maximum number of blocks in one result of `blocks`, in one page of `blocksConnection`, and searched for one page of `transactionsConnection`',
  }),
  MAX_LOGS: setting(integer(1).default(10_000), {
    about: 'Maximum number of logs in one result of `logs`, and in a page of `logsConnection`',
  }),
};

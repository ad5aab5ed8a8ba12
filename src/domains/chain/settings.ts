import { integer, setting } from '../../settings.ts';

export const chainSettings = {
  MAX_BLOCKS: setting(integer(1).default(100), { about: 'Maximum number of blocks in one result of `blocks`' }),
  MAX_LOGS: setting(integer(1).default(10_000), { about: 'Maximum number of logs in one result of `logs`' }),
};

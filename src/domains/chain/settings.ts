import { z } from 'zod';
import { integer, setting } from '../../config/settings.ts';

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'is not an address')
  .toLowerCase();

/** Maximum number of confirmations to wait for; well below the number of blocks that the feed caches. */
export const MAX_CONFIRMATIONS = 64;

/** Default of MAX_BLOCKS. */
export const DEFAULT_MAX_BLOCKS = 100;

export const chainSettings = {
  MAX_BLOCKS: setting(integer(1).default(DEFAULT_MAX_BLOCKS), {
    about:
      'Maximum number of blocks in one result of `blocks`, in one page of `blocksConnection`, and searched for one page of `transactionsConnection`',
  }),
  TOURNAMENT_ADDRESS: setting(address.optional(), {
    about:
      'Address of the contract of the tournament of `WIZARDS_URL`, for the events of duels, which the domain `chain` reads. When unset, that of the embedded tournament',
    isPerChain: true,
    ignoredFor: ({ DOMAIN }) => {
      const served = [DOMAIN ?? []].flat();
      return served.length > 0 && !served.includes('chain') && 'the subgraph of the domain chain reads the events of duels';
    },
  }),
  CONFIRMATIONS: setting(integer(1, MAX_CONFIRMATIONS).default(1), {
    about: 'Number of confirmations after which `Subscription.transactionStatus` reports CONFIRMED, unless the client names one',
    isPerChain: true,
  }),
  MAX_STREAMS: setting(integer(1).default(100), {
    about: 'Maximum number of named streams of subscriptions that an application can have; they need a database',
  }),
  STREAM_RETENTION_DAYS: setting(integer(1, 36_500).default(30), {
    about: 'Days after which a named stream is deleted that no subscription and no acknowledgement has used',
  }),
  MAX_LOGS: setting(integer(1).default(10_000), {
    about: 'Maximum number of logs in one result of `logs`, and in a page of `logsConnection`',
  }),
};

import { z } from 'zod';
import { headerText, httpUrl, integer, setting } from '../../settings.ts';

export const wizardSettings = {
  WIZARDS_URL: setting(httpUrl.optional(), {
    about:
      'Base URL of the wizard service of a tournament on the same chain, API key included. When unset, a server with `RPC_URL` has no wizards',
    secret: true,
  }),
  WIZARDS_API_TOKEN: setting(headerText.optional(), { about: 'API token for the wizard service', secret: true }),
  WIZARDS_EMAIL: setting(z.email('is not an e-mail address').optional(), {
    about: 'Verified e-mail address of the account with the wizard service',
    secret: true,
  }),
  WIZARDS_CHAIN_ID: setting(integer(1).optional(), {
    about: 'Chain id of the tournament of `WIZARDS_URL`, in decimal; not checked when unset',
  }),
  WIZARDS_MAX_BYTES: setting(integer(1024).default(64 * 1024 * 1024), {
    about:
      'Maximum size of one response of the wizard service in bytes, decompressed. A list of this size takes about four times as much memory while it is used',
  }),
};

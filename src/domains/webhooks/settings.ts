import { z } from 'zod';
import { commaSeparated, integer, isOverNode, oneOf, setting, switchSetting } from '../../config/settings.ts';
import { parseAuthToken } from './receiver/auth-tokens.ts';

const tokenIn = (entry: string): string => parseAuthToken(entry).token;

const authToken = z.string().refine((entry) => tokenIn(entry).length >= 8, 'has a token of less than 8 characters');

/** Whether no two applications have one token, which could not tell their notifications apart. */
const haveOwnTokens = (entries: readonly string[]): boolean => {
  const named = entries.map(parseAuthToken).filter(({ app }) => app !== undefined);
  return named.every(({ app, token }) => named.every((other) => other.token !== token || other.app === app));
};

export const webhookSettings = {
  WEBHOOK_AUTH_TOKENS: setting(
    commaSeparated.pipe(z.array(authToken).refine(haveOwnTokens, 'has one token for two applications')).default([]),
    {
      about:
        'Auth tokens that sign received webhooks, separated by commas: `app=token` for an application, several of one application while its token is rotated, or a token of any application. Without one, `/webhooks` rejects every notification, and a server over the embedded chain creates one for its sender',
      secret: true,
      secretPart: tokenIn,
      ignoredFor: (values) =>
        isOverNode(values) && values.DATABASE_URL === undefined && 'a server over a node has no webhooks without DATABASE_URL',
    },
  ),
  WEBHOOK_RETENTION_DAYS: setting(integer(1, 36_500).default(30), {
    about: 'Days after which a stored webhook event and a finished delivery are deleted',
  }),
  MAX_WEBHOOKS: setting(integer(1).default(100), {
    about: 'Maximum number of webhooks that an application can register',
  }),
  MAX_WEBHOOK_ADDRESSES: setting(integer(1).default(10_000), {
    about: 'Maximum number of addresses of one registered webhook',
  }),
  WEBHOOK_ALLOW_PRIVATE: switchSetting(
    'Whether registered webhooks may be sent to private and loopback addresses, over plain HTTP and to any port. For development only: with `on`, callers can reach services inside the network of the server',
  ),
  WEBHOOK_TOKEN_GRACE_HOURS: setting(integer(0, 8_760).default(24), {
    about: 'Hours for which the previous token of a registered webhook signs beside the new one after a rotation',
  }),
  WEBHOOK_INTERNAL_TRANSFERS: switchSetting(
    'Whether ADDRESS_ACTIVITY includes transfers of ether inside transactions (`internal`). With `on`, each block is traced while a registration watches addresses; the node needs `debug_traceBlockByHash` or `trace_block`',
  ),
  WEBHOOK_DERIVATION: setting(oneOf('on', 'off').default('on'), {
    about: 'Whether this server derives the events of registered webhooks from the chain; with `off` it only delivers them',
  }),
};

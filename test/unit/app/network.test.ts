import { expect, test } from '@jest/globals';
import { connectEmbeddedNetwork } from '../../../src/app/network.ts';
import { log } from '../../support/silent-log.ts';

test('the error of a network that does not respond names its origin, without user and password of DEVNET_URL', async () => {
  const settings = { DEVNET_URL: 'http://user:hunter2@127.0.0.1:1', DOMAIN: [], RPC_TIMEOUT_MS: 1_000 };
  const error = await connectEmbeddedNetwork(settings as never, log).catch((reason) => reason);
  expect(error).toMatchObject({ code: 'BAD_USER_INPUT', message: expect.stringContaining('at http://127.0.0.1:1 ') });
  expect(error.message).not.toMatch(/user:|hunter2/);
});

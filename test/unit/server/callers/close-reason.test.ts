import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createTokenVerifier } from '../../../../src/server/callers/json-web-tokens.ts';
import { cleanups } from '../../../support/cleanups.ts';
import { RawSocket } from '../../../support/clients/raw-socket.ts';
import { startToyServer } from '../../../support/graph/toy-server.ts';
import { createIssuerKey, createKeySetServer } from './key-set-server.ts';

test('a WebSocket with a token without the claim of the application closes with 4403 if the name of the claim is not ASCII', async () => {
  const key = await createIssuerKey('ES256', 'first');
  const keySet = await createKeySetServer([key.publicJwk]);
  await keySet.start();
  const settings = { JWT_JWKS_URL: keySet.url, JWT_APP_CLAIM: 'название приложения', RPC_TIMEOUT_MS: 1_000 };
  const verifyToken = createTokenVerifier(settings, pino({ level: 'silent' }));
  const toy = await startToyServer({ callers: { verifyToken } });
  const socket = await RawSocket.connect(toy.url, { init: false });
  cleanups.push(() => socket.close());
  socket.send({ type: 'connection_init', payload: { authorization: `Bearer ${await key.sign()}` } });
  expect(await socket.closed).toMatchObject({ code: 4403 });
});

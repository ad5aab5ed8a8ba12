import { afterEach, expect, test } from '@jest/globals';
import pino from 'pino';
import type { EmbeddedWebhookReceiver } from '../../../src/domains/webhooks/registrations/embedded-webhooks.ts';
import { startEmbeddedWebhooks } from '../../../src/domains/webhooks/registrations/embedded-webhooks.ts';
import { RegistrationStore } from '../../../src/domains/webhooks/registrations/registration-store.ts';
import { createDatabase } from '../../../src/domains/webhooks/store/database.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { useDatabase } from '../../unit/domains/webhooks/store/database.ts';

type Accepted = Parameters<EmbeddedWebhookReceiver['accept']>[0];

const fixture = useDatabase();
const lines: any[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
const ADDRESS = `0x${'ab'.repeat(20)}`;

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  lines.length = 0;
});

/** Starts to register the webhooks of a receiver at a URL and returns what the receiver accepts. */
function start(url: string, { database = fixture.database, databaseUrl = Promise.resolve('url'), maxWebhooks = 10 } = {}) {
  const accepted: Accepted[] = [];
  const registrations = new RegistrationStore(database);
  const embedded = startEmbeddedWebhooks({
    receiver: {
      url,
      app: 'receiver',
      requests: [
        { type: 'ADDRESS_ACTIVITY', addresses: [ADDRESS] },
        { type: 'GAS_PRICE', gasPrice: { speed: 'AVERAGE', above: 0 } },
      ],
      accept: (webhook) => void accepted.push(webhook),
    },
    databaseUrl,
    sources: {
      registrations,
      rules: { maxAddresses: 10, receiverUrls: { allowsPrivate: false, exempt: new Set([url]) } },
      maxWebhooks,
      tokenGraceHours: 24,
    },
    log,
  });
  stops.push(() => embedded.stop());
  return { accepted, registrations };
}

test('nothing is registered where the embedded database has not started', async () => {
  const databaseUrl = Promise.reject<string>(new Error('no binaries'));
  const { accepted } = start('http://127.0.0.1:1/deliveries', { databaseUrl });
  await expect(databaseUrl).rejects.toThrow();
  await new Promise(setImmediate);
  expect([accepted, lines]).toEqual([[], []]);
});

test('the webhooks are registered when a database that is down responds', async () => {
  let provideUrl = (_url: string) => {};
  const url = new Promise<string>((resolve) => {
    provideUrl = resolve;
  });
  const database = createDatabase({ url, log: pino({ level: 'silent' }) });
  stops.push(() => database.stop());
  const { accepted } = start('http://127.0.0.1:1/deliveries', { database });
  await expect(database.query('select 1')).rejects.toThrow();
  provideUrl(await fixture.postgres.createDatabase());
  await waitUntil(() => accepted.length === 2, 'the webhooks are registered');
  expect(lines).toEqual([]);
});

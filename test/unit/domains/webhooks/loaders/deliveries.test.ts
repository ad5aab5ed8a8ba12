import { expect, test } from '@jest/globals';
import { type DeliveryPageArgs, deliveryLoaders } from '../../../../../src/domains/webhooks/loaders/registrations.ts';
import { RegistrationStore } from '../../../../../src/domains/webhooks/registrations/registration-store.ts';
import type { Database } from '../../../../../src/domains/webhooks/store/database.ts';
import { DeliveryStore } from '../../../../../src/domains/webhooks/store/delivery-store.ts';
import { EventStore } from '../../../../../src/domains/webhooks/store/event-store.ts';
import { ResponseDependencies } from '../../../../../src/operation/response-dependencies.ts';
import { WITH_EMPTY_BODY } from '../../../../support/webhooks/delivery-setup.ts';
import { useDatabase } from '../store/database.ts';

const fixture = useDatabase();

/** Creates the loaders of one operation, and counts their statements. */
function createLoaders() {
  const statements: string[] = [];
  const database: Database = {
    ...fixture.database,
    query(text, values) {
      statements.push(text);
      return fixture.database.query(text, values);
    },
  };
  const operation = {
    requestId: 'request',
    signal: new AbortController().signal,
    extensions: {},
    dependencies: new ResponseDependencies(),
  };
  const sources = { deliveries: new DeliveryStore(database), store: new EventStore(database) };
  return { statements, loaders: deliveryLoaders(sources, operation) };
}

test('the deliveries of a page of webhooks are one statement, and their attempts and events one each', async () => {
  const registrations = new RegistrationStore(fixture.database);
  const gasPrice = { speed: 'FAST', above: 1, below: null } as const;
  const registration = {
    type: 'GAS_PRICE',
    url: 'https://receiver.example/',
    gasPrice,
    confirmations: 1,
    addresses: [],
  } as const;
  const ids: string[] = [];
  for (let i = 0; i < 20; i++)
    ids.push((await registrations.create('shop', registration, { token: 'whsec_token', maxWebhooks: 100 })).id);
  await fixture.database.query(
    `${WITH_EMPTY_BODY} insert into webhook_deliveries (id, webhook_id, event_id, body_hash)
     select webhook || ' ' || n, webhook, 'event ' || n, '\\x00' from unnest($1::text[]) as webhook, generate_series(1, 3) as n`,
    [ids],
  );
  const { statements, loaders } = createLoaders();
  const pages = await Promise.all(
    ids.flatMap((id) => ([{ first: 2 }, { status: 'DEAD' }] satisfies DeliveryPageArgs[]).map((args) => loaders.of(id, args))),
  );
  expect(statements).toHaveLength(1);
  const deliveries = pages.flatMap(({ nodes }) => nodes);
  expect(deliveries.map(({ id }) => id)).toEqual(ids.flatMap((id) => [`${id} 3`, `${id} 2`]));
  await Promise.all(deliveries.map((delivery) => loaders.attempts(delivery)));
  await Promise.all(deliveries.map((delivery) => loaders.event(delivery)));
  expect(statements).toHaveLength(3);
  expect(pages[0]!.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });

  const next = await loaders.of(ids[0]!, { first: 2, after: pages[0]!.pageInfo.endCursor });
  expect(next.nodes.map(({ id }) => id)).toEqual([`${ids[0]} 1`]);
  expect(next.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  await expect(loaders.of(ids[1]!, { after: next.pageInfo.endCursor })).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' });
});

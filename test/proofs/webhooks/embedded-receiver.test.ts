import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { DevnetDescription } from '../../../devnet/src/description.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import type { DataOf } from '../../support/graph/results.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

const directory = createTemporaryFolder();
// As root, PostgreSQL runs as another user.
chmodSync(directory, 0o755);

const TYPES = ['ADDRESS_ACTIVITY', 'MINED_TRANSACTION', 'GAS_PRICE'];

const DELIVERIES = `{ webhooks { nodes { id type url app deliveries(status: DELIVERED, first: 1) { nodes {
  id attempts event { type app ... on AddressActivityEvent { activity { category asset value } } }
} } } } }`;

const EVENTS = `{ webhookEvents(types: [ADDRESS_ACTIVITY], first: 100) { nodes { app ... on AddressActivityEvent {
  activity { category asset value rawContract { rawValue decimals } }
} } } }`;

/** Gas prices are checked once a minute, so their first delivery is too late for a test. */
const isFast = ({ type }: { type: string }): boolean => type !== 'GAS_PRICE';

/** Resolves with the webhooks of a server once each webhook about blocks has a delivery. */
async function deliveredWebhooks(graph: GraphProcess) {
  let webhooks: DataOf<typeof DELIVERIES>['webhooks']['nodes'] = [];
  await waitUntil(async () => {
    const { data, errors } = await graph.execute(DELIVERIES);
    expect(errors?.map(({ extensions }) => extensions.code) ?? ['STORE_UNAVAILABLE']).toEqual(['STORE_UNAVAILABLE']);
    webhooks = data?.webhooks?.nodes ?? [];
    return webhooks.length >= TYPES.length && webhooks.filter(isFast).every(({ deliveries }) => deliveries.nodes.length > 0);
  }, 'the webhooks of the embedded receiver have deliveries');
  return webhooks;
}

const receiverOf = async ({ url }: GraphProcess) =>
  ((await (await fetch(`${url}/devnet.json`)).json()) as DevnetDescription).webhookReceiver!;

const acceptedBy = async ({ url }: { url: string }) => (await (await fetch(url)).json()) as { id: string }[];

test('a server without settings delivers to its own receiver, and a restored one continues with the same webhooks', async () => {
  const settings = { DATA_DIR: join(directory, 'data'), DEVNET_BLOCK_TIME: '0.5' };
  const graph = await startGraph(settings);
  const webhooks = await deliveredWebhooks(graph);
  const receiver = await receiverOf(graph);
  expect(receiver).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/deliveries$/),
    app: 'devnet-receiver',
    webhooks: webhooks.map(({ id, type }) => ({ id, type })),
  });
  expect(webhooks.map(({ type }) => type)).toEqual(TYPES);
  const accepted = await acceptedBy(receiver);
  for (const { id, type, url, app, deliveries } of webhooks.filter(isFast)) {
    const delivery = deliveries.nodes[0]!;
    expect([url, app]).toEqual([receiver.url, receiver.app]);
    expect(delivery).toMatchObject({ attempts: expect.any(Number), event: { type, app } });
    expect(accepted.find((one) => one.id === delivery.id)).toMatchObject({
      webhookId: id,
      body: { app, network: 'CHAIN_31337', webhookType: type },
    });
  }
  const transfers = async () => {
    const { webhookEvents } = (await graph.execute(EVENTS)).data;
    return webhookEvents.nodes
      .flatMap((event) => ('activity' in event && event.app === receiver.app ? event.activity : []))
      .filter(({ category }) => category === 'token');
  };
  await waitUntil(async () => (await transfers()).length > 0, 'a token of the embedded token list is transferred');
  for (const { asset, value, rawContract } of await transfers()) {
    expect(asset).toMatch(/^[A-Z]+$/);
    expect(value).toBe(Number(`${BigInt(rawContract.rawValue)}e-${rawContract.decimals}`));
  }
  const forged = await fetch(receiver.url, { method: 'POST', body: '{}', headers: { 'webhook-id': 'a' } });
  expect(forged.status).toBe(401);
  await graph.stop();

  const restored = await startGraph(settings);
  await waitUntil(async () => (await receiverOf(restored)).webhooks.length === TYPES.length, 'the webhooks are registered again');
  const again = await receiverOf(restored);
  expect([again.webhooks, again.url === receiver.url]).toEqual([receiver.webhooks, false]);
  await waitUntil(async () => (await acceptedBy(again)).length > 0, 'the receiver accepts deliveries of the restored server');
  expect((await deliveredWebhooks(restored)).map(({ id }) => id)).toEqual(webhooks.map(({ id }) => id));
  for (const server of [graph, restored]) expect(server.output()).not.toContain('whsec_');
}, 60_000);

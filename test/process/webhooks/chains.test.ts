import { beforeAll, expect, test } from '@jest/globals';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { dataOf } from '../../support/graph/results.ts';
import { rpc } from '../../support/graph/rpc.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { BODIES } from '../../support/webhooks/bodies.ts';
import { startReceiver, type TestReceiver } from '../../support/webhooks/receiver.ts';
import { sendWebhook, waitUntilStoring } from '../../support/webhooks/sender.ts';

/** The webhooks of a server with two embedded chains, which share its database. */
const TOKEN = 'token-canary-Kd72Wm';
let graph: GraphProcess;
let receiver: TestReceiver;
let second: DevnetDescription;

const metrics = async (): Promise<string> => (await fetch(`${graph.url}/metrics`)).text();

beforeAll(async () => {
  receiver = await startReceiver((response) => response.writeHead(200).end());
  const settings = {
    DEVNET_CHAINS: '2',
    DEVNET_LIFE: 'off',
    WEBHOOK_ALLOW_PRIVATE: 'on',
    WEBHOOK_AUTH_TOKENS: `default=${TOKEN}`,
  };
  graph = await startGraph(settings);
  second = ((await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription).chains![0]!;
  await waitUntilStoring(graph.url);
  await waitUntil(
    async () => /^grimoire_webhook_derivation_height\{chain="31338"\} \d/m.test(await metrics()),
    'the server derives the events of the second chain',
  );
});

const EVENTS = `webhookEvents(types: [ADDRESS_ACTIVITY]) { nodes { __typename network ... on AddressActivityEvent {
  activity { blockNumber from { address } block { hash } } } } }`;

test('a webhook of a further chain is notified of its transfers alone, and its events are those of the chain', async () => {
  const [from, to] = second.accounts.map(({ address }) => address.toLowerCase());
  const { createWebhook } = await dataOf(
    graph.execute(`mutation ($input: CreateWebhookInput!) { createWebhook(chainId: 31338, input: $input) { webhook { id } } }`, {
      input: { type: 'ADDRESS_ACTIVITY', url: receiver.url, addresses: [to] },
    }),
  );
  const { id } = createWebhook.webhook;
  const live = createSubscriptionClient(graph.url).subscribe('subscription { webhookEvents(chainId: 31338) { network } }');
  await waitUntil(async () => /^grimoire_subscriptions [1-9]/m.test(await metrics()), 'the subscription has started');
  const network = ((await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription).endpoints.http;
  // The same transfer on both chains.
  for (const url of [network, second.endpoints.http]) {
    await rpc(url, 'eth_sendTransaction', [{ from, to, value: '0x1', gas: '0x5208' }]);
    await rpc(url, 'evm_mine', []);
  }
  expect((await live.waitForEvents(1))[0]!.webhookEvents).toEqual({ network: 'CHAIN_31338' });
  await waitUntil(() => receiver.received.length > 0, 'the delivery arrives');
  expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { network: 'CHAIN_31338', webhookType: 'ADDRESS_ACTIVITY' },
  ]);
  const WEBHOOK = `webhook(id: $id) { deliveries { nodes { event { network } } } }`;
  const data = await dataOf(
    graph.execute(
      `query ($id: ID!) { chain(id: 31338) { ${EVENTS} ${WEBHOOK} webhooks { nodes { id } } } ${WEBHOOK} ${EVENTS} }`,
      {
        id,
      },
    ),
  );
  const [event, ...more] = data.chain.webhookEvents.nodes;
  expect(more).toEqual([]);
  if (event?.__typename !== 'AddressActivityEvent') throw new Error('there is no event');
  const activity = event.activity[0]!;
  const block = await rpc(second.endpoints.http, 'eth_getBlockByNumber', [activity.blockNumber, false]);
  expect(activity).toEqual({ blockNumber: block.number, from: { address: from }, block: { hash: block.hash } });
  expect(data.chain.webhook.deliveries.nodes).toEqual([{ event: { network: 'CHAIN_31338' } }]);
  expect(data.chain.webhooks.nodes).toEqual([{ id }]);
  expect(data.webhook).toBeNull();
  expect(data.webhookEvents.nodes).toEqual([]);
  const DELETE =
    'mutation ($id: ID!) { here: deleteWebhook(input: { id: $id }) { deletedId } there: deleteWebhook(chainId: 31338, input: { id: $id }) { deletedId } }';
  expect(await dataOf(graph.execute(DELETE, { id }))).toEqual({ here: null, there: { deletedId: id } });
});

test('a received notification belongs to the chain whose network it names, or else to the default chain', async () => {
  for (const network of ['CHAIN_31338', 'ETH_MAINNET'])
    expect((await sendWebhook(graph.url, TOKEN, JSON.stringify({ ...BODIES.GAS_PRICE, app: 'default', network }))).status).toBe(
      200,
    );
  const GAS = 'webhookEvents(types: [GAS_PRICE]) { nodes { network } }';
  expect(await dataOf(graph.execute(`{ ${GAS} chain(id: 31338) { ${GAS} } }`))).toEqual({
    webhookEvents: { nodes: [{ network: 'ETH_MAINNET' }] },
    chain: { webhookEvents: { nodes: [{ network: 'CHAIN_31338' }] } },
  });
});

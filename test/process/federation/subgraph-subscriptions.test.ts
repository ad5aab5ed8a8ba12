import { beforeAll, describe, expect, test } from '@jest/globals';
import { connectEventStream } from '../../support/clients/event-stream-client.ts';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { addressOf } from '../../support/upstream/rpc-fixtures.ts';
import {
  type ScriptedWizardService,
  startScriptedWizardService,
  wizardFixture,
} from '../../support/upstream/scripted-wizard-service.ts';

/** Subscriptions of subgraphs, as a router opens them: over WebSocket and as event streams. */
const chain = new SimChain({ seed: 1 });
let service: ScriptedWizardService;
let graphs: Record<'chain' | 'wizards', RunningGraph>;

beforeAll(async () => {
  chain.mine();
  const node = await startSimNode({ chain });
  service = await startScriptedWizardService();
  service.wizards = [wizardFixture(1), wizardFixture(2)];
  const settings = {
    RPC_URL: node.url,
    RPC_WS_URL: node.wsUrl,
    ...service.settings,
  };
  graphs = {
    chain: await serveGraph({ ...settings, DOMAIN: 'chain' }),
    wizards: await serveGraph({ ...settings, DOMAIN: 'wizards' }),
  };
});

/** Opens a subscription that receives every event from now on; returns a function that waits for its first event. */
type Subscribe = (graph: RunningGraph, query: string) => Promise<() => Promise<any>>;

const overWebSocket: Subscribe = async ({ url }, query) => {
  const client = createSubscriptionClient(url);
  const subscription = client.subscribe(query);
  // Operations of one connection start in the order in which they arrive.
  await client.subscribe('{ __typename }').ended;
  return async () => {
    const [event] = await subscription.waitForEvents(1);
    client.close();
    return event;
  };
};

const overEventStream: Subscribe = async ({ url }, query) => {
  // The status line is sent when the stream has started.
  const client = await connectEventStream(url, { query });
  return async () => {
    const [event] = await client.waitForEvents(1);
    client.close();
    return event!.data.data;
  };
};

describe.each([
  ['a WebSocket', overWebSocket, '7'],
  ['an event stream', overEventStream, '8'],
])('over %s', (transport, subscribe, power) => {
  test(`the chain subgraph emits heads over ${transport}, with keys for other subgraphs`, async () => {
    const address = addressOf(1);
    const query = `subscription { newHeads { number hash block { __typename number account(address: "${address}") { address _at } } } }`;
    const firstEvent = await subscribe(graphs.chain, query);
    chain.mine();
    const { newHeads } = await firstEvent();
    const { hash, height } = chain.head;
    const number = `0x${height.toString(16)}`;
    expect(newHeads).toEqual({ number, hash, block: { __typename: 'Block', number, account: { address, _at: hash } } });
  });

  test(`the wizards subgraph emits changed wizards over ${transport}, with keys for other subgraphs`, async () => {
    const query = 'subscription { wizardUpdates { __typename id power owner { address _at } createdBlock { number } } }';
    const firstEvent = await subscribe(graphs.wizards, query);
    // This operation and the first read of the subscription share one request.
    expect((await graphs.wizards.execute('{ wizards { totalCount } }')).data).toEqual({ wizards: { totalCount: 2 } });
    service.wizards = [wizardFixture(1), wizardFixture(2, { power })];
    chain.mine();
    const owner = { address: wizardFixture(2).owner, _at: null };
    expect(await firstEvent()).toEqual({
      wizardUpdates: { __typename: 'Wizard', id: '2', power, owner, createdBlock: { number: '0x2' } },
    });
  });
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Devnet } from '../../../devnet/src/index.ts';
import {
  type ClientSubscription,
  createSubscriptionClient,
  type SubscriptionClient,
} from '../../support/clients/subscription-client.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';

/** Tournament subscriptions of the server, with real sockets. */
let client: SubscriptionClient;

/** Started subscriptions. */
async function subscribeAndConfirm(...queries: string[]): Promise<ClientSubscription[]> {
  const subscriptions = queries.map((query) => client.subscribe(query));
  // Operations of one connection start in the order in which they arrive.
  await client.subscribe('{ __typename }').ended;
  return subscriptions;
}

describe('over the embedded tournament', () => {
  let graph: RunningGraph;

  beforeAll(async () => {
    graph = await startGraph({ DEVNET_BLOCK_TIME: '0.3' });
  });
  afterAll(() => graph?.stop());

  test('duel and wizard subscriptions emit the values of the service when a duel starts and ends', async () => {
    const { wizardService } = (await (await fetch(`${graph.url}/devnet.json`)).json()) as Devnet['description'];
    const headers = {
      'content-type': 'application/json',
      'x-api-token': wizardService.token,
      'x-email': wizardService.email,
    };
    const get = async (path: string): Promise<any> => (await fetch(wizardService.url + path, { headers })).json();
    client = createSubscriptionClient(graph.url);
    const [duels, wizards] = await subscribeAndConfirm(
      `subscription { duelUpdates { id status wizard1Id wizard2Id startBlockNumber endBlockNumber timeoutBlockNumber timedOut
        startPower1 startPower2 endPower1 endPower2 moveSet1 moveSet2 startBlock { number } endBlock { number hash } } }`,
      'subscription { wizardUpdates { id power owner { address } eliminatedBlockNumber } }',
    );
    const emitted = (status: string) =>
      duels!.events.map(({ data }) => data.duelUpdates).filter((duel) => duel.status === status);
    const ended = () => {
      const started = new Set(emitted('IN_PROGRESS').map(({ id }) => id));
      return emitted('FINISHED').find(({ id, timedOut }) => started.has(id) && !timedOut);
    };
    await duels!.waitUntil(() => ended() !== undefined);
    const end = ended();
    const start = emitted('IN_PROGRESS').find(({ id }) => id === end.id);
    const duel = await get(`/duels/${end.id}`);
    const height = (number: number) => `0x${number.toString(16)}`;
    const common = {
      id: duel.id,
      wizard1Id: duel.wizard1Id,
      wizard2Id: duel.wizard2Id,
      startBlockNumber: height(duel.startBlock),
      timeoutBlockNumber: height(duel.timeoutBlock),
      timedOut: false,
      startBlock: { number: height(duel.startBlock) },
    };
    const { startPower1, startPower2, endPower1, endPower2, moveSet1, moveSet2 } = duel;
    const nothing = { endPower1: null, endPower2: null, moveSet1: null, moveSet2: null, endBlock: null, endBlockNumber: null };
    expect(start).toMatchObject({ ...common, ...nothing, status: 'IN_PROGRESS' });
    expect(end).toEqual({
      ...common,
      status: 'FINISHED',
      endBlockNumber: height(duel.endBlock),
      endBlock: { number: height(duel.endBlock), hash: expect.stringMatching(/^0x/) },
      ...{ startPower1, startPower2, endPower1, endPower2, moveSet1, moveSet2 },
    });
    expect(duels!.events.flatMap(({ errors }) => errors ?? [])).toEqual([]);
    // Each event has the block of its read, which is not older than the change.
    const event = duels!.events.find(({ data }) => data.duelUpdates === end)!;
    expect(Number(event.extensions.block.number)).toBeGreaterThanOrEqual(duel.endBlock);
    for (const [id, before, after] of [
      [duel.wizard1Id, startPower1, endPower1],
      [duel.wizard2Id, startPower2, endPower2],
    ]) {
      if (before !== after) await wizards!.waitUntil(({ wizardUpdates: one }) => one.id === id && one.power === after);
    }
  });
});

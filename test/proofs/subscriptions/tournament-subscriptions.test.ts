import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type Devnet, startDevnet } from '../../../devnet/src/index.ts';
import {
  type ClientSubscription,
  createSubscriptionClient,
  type SubscriptionClient,
} from '../../support/clients/subscription-client.ts';
import { createGate } from '../../support/gate.ts';
import { rpc } from '../../support/graph/rpc.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { WIZARD_CREDENTIALS } from '../../support/secrets.ts';
import {
  DUEL_IN_PROGRESS,
  duelFixture,
  type ScriptedWizardService,
  startScriptedWizardService,
  wizardFixture,
} from '../../support/upstream/scripted-wizard-service.ts';

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

describe('over a wizard service that counts requests', () => {
  let devnet: Devnet;
  let service: ScriptedWizardService;
  let graph: RunningGraph;

  beforeAll(async () => {
    devnet = await startDevnet({ hasActivity: false, log: pino({ level: 'silent' }) });
    service = await startScriptedWizardService();
  });
  afterAll(async () => {
    await service?.stop();
    await devnet?.stop();
  });

  // One graph per test: streams linger after their subscribers have left.
  beforeEach(async () => {
    service.script = undefined;
    service.wizards = [1, 2, 3].map((n) => wizardFixture(n));
    service.duels = [duelFixture(1), duelFixture(2, { ...DUEL_IN_PROGRESS, wizard2Id: '3' })];
    service.takePaths();
    graph = await serveGraph({
      RPC_URL: devnet.description.nodeService.http,
      RPC_WS_URL: devnet.description.nodeService.ws,
      WIZARDS_URL: service.url,
      WIZARDS_API_TOKEN: WIZARD_CREDENTIALS.token,
      WIZARDS_EMAIL: WIZARD_CREDENTIALS.email,
    });
    client = createSubscriptionClient(graph.url);
  });
  afterEach(() => graph?.stop());

  const mine = () => rpc(devnet.description.endpoints.http, 'evm_mine', []);
  const change = (power: string) => {
    service.wizards = [wizardFixture(1, { power }), wizardFixture(2, { power }), wizardFixture(3)];
  };

  /** Delays the responses of a path. Returns a promise of the first request and a function that releases the responses. */
  const hold = (held: string) => {
    const waiting: (() => void)[] = [];
    const { opened: requested, open: onRequest } = createGate();
    service.script = (path, response) => {
      if (path !== held) return undefined;
      waiting.push(() => response.end(JSON.stringify({ [path.slice(1)]: path === '/duels' ? service.duels : service.wizards })));
      onRequest();
      return 'handled';
    };
    const release = () => {
      service.script = undefined;
      for (const answer of waiting) answer();
    };
    return { requested, release };
  };

  const WHOLE = 'subscription { wizardUpdates { id power duels { totalCount } owner { address balance } } }';
  const ONE = 'subscription { wizardUpdates(ids: [2]) { power record { duels } activeDuel { id } } }';
  const DUELS = 'subscription { duelUpdates(filter: { excludeInProgress: true }) { id wizard2 { power owner { balance } } } }';

  test('30 tournament subscribers of three operations cost two GETs per head', async () => {
    const base = hold('/wizards');
    const all = await subscribeAndConfirm(...Array.from({ length: 30 }, (_none, i) => [WHOLE, ONE, DUELS][i % 3]!));
    await base.requested;
    base.release();
    const { data } = await graph.execute('{ wizards { totalCount } duels { totalCount } }');
    expect([data.wizards.totalCount, data.duels.totalCount]).toEqual([3, 2]);
    expect(service.takePaths().sort()).toEqual(['/duels', '/wizards']);
    for (const [i, power] of ['5', '6'].entries()) {
      change(power);
      const wizards = hold('/wizards');
      await mine();
      await wizards.requested;
      // The duel list is cached from here on; an earlier event would send its own request.
      expect((await graph.execute('{ duels { totalCount } }')).data.duels.totalCount).toBe(2);
      wizards.release();
      await Promise.all(all.map((one, at) => one.waitForEvents([2, 1, 0][at % 3]! * (i + 1))));
      expect(service.takePaths().sort()).toEqual(['/duels', '/wizards']);
    }
    const balance = expect.stringMatching(/^0x/);
    const whole = (power: string) => [
      { id: '1', power, duels: { totalCount: 2 }, owner: { address: wizardFixture(1).owner, balance } },
      { id: '2', power, duels: { totalCount: 1 }, owner: { address: wizardFixture(2).owner, balance } },
    ];
    const one = (power: string) => ({ power, record: { duels: 1 }, activeDuel: null });
    const emitted = all.map(({ events }) => events.map(({ data, errors }) => errors ?? data.wizardUpdates));
    expect(emitted).toEqual(all.map((_one, at) => [[...whole('5'), ...whole('6')], [one('5'), one('6')], []][at % 3]));
  });
});

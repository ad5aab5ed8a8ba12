import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Duel, Wizard } from '../../../../src/domains/wizards/model.ts';
import { createServiceClient } from '../../../../src/domains/wizards/service/service-reader.ts';
import { createWizardStreams } from '../../../../src/domains/wizards/subscriptions.ts';
import { GraphError } from '../../../../src/lib/errors.ts';
import type { ChainFeed } from '../../../../src/sync/feed.ts';
import { createRestClient } from '../../../../src/upstream/rest/rest-client.ts';
import { untilTestsEnd } from '../../../support/cleanups.ts';
import { type StreamSubscriber, subscribeToStream } from '../../../support/clients/stream-subscriber.ts';
import { assertNoSecret, WIZARD_CREDENTIALS } from '../../../support/secrets.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { pollUntil, startFeed } from '../../../support/subscriptions/feed-setup.ts';
import { addressOf, hashOf } from '../../../support/upstream/rpc-fixtures.ts';
import {
  DUEL_IN_PROGRESS,
  duelFixture,
  type ScriptedWizardService,
  startScriptedWizardService,
  wizardFixture,
} from '../../../support/upstream/scripted-wizard-service.ts';

/** Starts the streams on the real feed of a simulated chain and a scripted wizard service. */
async function startStreams(maxResponseBytes?: number) {
  const chain = new SimChain({ seed: 1, blocks: 40 });
  const { feed } = await startFeed(chain);
  const service = await startScriptedWizardService();
  service.wizards = [1, 2, 3].map((n) => wizardFixture(n));
  service.duels = [duelFixture(1), duelFixture(2, DUEL_IN_PROGRESS)];
  const { token, email } = WIZARD_CREDENTIALS;
  const headers = { 'x-api-token': token, 'x-email': email };
  const logged: unknown[] = [];
  const log = pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const rest = untilTestsEnd(
    createRestClient({
      ...{ url: service.url, headers, name: 'The wizard service', source: 'wizard', timeoutMs: 5_000, log },
      ...(maxResponseBytes && { maxResponseBytes, sizeSetting: 'WIZARDS_MAX_BYTES' }),
    }),
  );
  let headSubscribers = 0;
  const subscribeHeads: ChainFeed['subscribeHeads'] = (listener) => {
    const stop = feed.subscribeHeads(listener);
    headSubscribers++;
    return () => {
      headSubscribers--;
      stop();
    };
  };
  const countedFeed = {
    get head() {
      return feed.head;
    },
    subscribeHeads,
  };
  const streams = createWizardStreams({ feed: countedFeed, log }, createServiceClient(rest));
  const responses = countResponses(service);
  /** Replaces `depth` blocks by `length` new ones and resolves when the feed has the new head. */
  const moveChain = async (depth: number, length: number) => {
    chain.reorg(depth, length);
    await pollUntil(() => feed.head?.hash === chain.head.hash);
  };
  /** Mines a block and resolves when the service has sent that many responses. */
  const mineAndRead = async (gets = 1) => {
    const expected = responses() + gets;
    await moveChain(0, 1);
    await pollUntil(() => responses() >= expected);
  };
  return {
    chain,
    feed,
    service,
    streams,
    logged,
    moveChain,
    mineAndRead,
    responses,
    headSubscribers: () => headSubscribers,
  };
}

/** Counts the responses that the service has sent completely, each after one more turn of the event loop. */
function countResponses(service: ScriptedWizardService): () => number {
  let responses = 0;
  service.script = (_path, response) => {
    response.once('finish', () => setImmediate(() => responses++));
    return undefined;
  };
  return () => responses;
}

/** Holds the responses of the service until the test releases them. */
function holdResponses(service: ScriptedWizardService) {
  const held: { readonly path: string; readonly response: ServerResponse }[] = [];
  let maxHeld = 0;
  const paths: string[] = [];
  service.script = (path, response) => {
    paths.push(path);
    held.push({ path, response });
    maxHeld = Math.max(maxHeld, held.length);
    return 'handled';
  };
  return {
    paths,
    maxHeld: () => maxHeld,
    /** Held requests in the order of arrival. */
    held,
    release(wizards: readonly unknown[]) {
      held.shift()!.response.end(JSON.stringify({ wizards }));
    },
  };
}

const wizardsIn = ({ events }: StreamSubscriber<{ readonly wizardUpdates: Wizard }>) =>
  events.map(({ root }) => root.wizardUpdates.id);
const duelsIn = ({ events }: StreamSubscriber<{ readonly duelUpdates: Duel }>) => events.map(({ root }) => root.duelUpdates.id);

describe('request counts', () => {
  test('streams read each list once for the first subscriber and once per head, for any number of subscribers', async () => {
    const { service, streams, mineAndRead, responses } = await startStreams();
    expect(service.takePaths()).toEqual([]);
    const wizards = Array.from({ length: 5 }, (_none, i) => subscribeToStream(streams.wizardUpdates(i === 0 ? null : [`${i}`])));
    const duels = Array.from({ length: 4 }, () => subscribeToStream(streams.duelUpdates({})));
    await pollUntil(() => responses() === 2);
    expect(service.takePaths().sort()).toEqual(['/duels', '/wizards']);
    for (let i = 0; i < 3; i++) {
      service.wizards = [wizardFixture(1, { power: `${i}` }), wizardFixture(2), wizardFixture(3)];
      await mineAndRead(2);
      await wizards[0]!.waitForEvents(i + 1);
      expect(service.takePaths().sort()).toEqual(['/duels', '/wizards']);
    }
    expect(wizards.map(wizardsIn)).toEqual([['1', '1', '1'], ['1', '1', '1'], [], [], []]);
    expect(duels.flatMap(duelsIn)).toEqual([]);
  });

  test('streams read only lists with subscribers and stop after the last one leaves', async () => {
    const { service, streams, mineAndRead, moveChain, responses, headSubscribers } = await startStreams();
    const [first, second] = [subscribeToStream(streams.duelUpdates({})), subscribeToStream(streams.duelUpdates({}))];
    await pollUntil(() => responses() === 1);
    first.stop();
    await mineAndRead();
    expect(service.takePaths()).toEqual(['/duels', '/duels']);
    second.stop();
    // The watch stops in a timer, which fires before this one.
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(headSubscribers()).toBe(0);
    await moveChain(0, 1);
    const next = subscribeToStream(streams.wizardUpdates(null));
    await pollUntil(() => responses() === 3);
    expect(service.takePaths()).toEqual(['/wizards']);
    expect([next, first, second].map(({ events }) => events)).toEqual([[], [], []]);
  });
});

describe('events', () => {
  test('wizardUpdates emits the changes since the previous read, in one batch per head', async () => {
    const { service, streams, mineAndRead, chain, responses } = await startStreams();
    service.wizards.push(wizardFixture(4, { eliminatedBlockNumber: 7 }));
    const client = subscribeToStream(streams.wizardUpdates(null));
    await pollUntil(() => responses() === 1);
    service.wizards = [
      wizardFixture(1, { power: '7' }),
      wizardFixture(2, { affinity: 0, initialPower: '1' }),
      wizardFixture(3, { owner: addressOf(0xbb) }),
      wizardFixture(4, { eliminatedBlockNumber: null }),
      wizardFixture(5),
    ];
    await mineAndRead();
    await client.waitForEvents(4);
    const first = chain.head.hash;
    service.wizards = [wizardFixture(1, { power: '7', eliminatedBlockNumber: 21 })];
    await mineAndRead();
    await client.waitForEvents(5);
    expect(client.batches.map((batch) => batch.map(({ root, block }) => [root.wizardUpdates.id, block]))).toEqual([
      ['1', '3', '4', '5'].map((id) => [id, first]),
      [['1', chain.head.hash]],
    ]);
    expect(client.events.map(({ root: { wizardUpdates: wizard } }) => wizard.power).slice(-2)).toEqual([
      '100000000000000000005',
      '7',
    ]);
    expect(client.events.at(-1)!.root.wizardUpdates.eliminatedBlockNumber).toBe('0x15');
  });

  test('duelUpdates emits starts, ends and timeouts of duels, and their reverts by a reorg', async () => {
    const { service, streams, mineAndRead, responses, chain } = await startStreams();
    const client = subscribeToStream(streams.duelUpdates({}));
    await pollUntil(() => responses() === 1);
    const steps = [
      [duelFixture(1), duelFixture(2, DUEL_IN_PROGRESS), duelFixture(3, DUEL_IN_PROGRESS)],
      [duelFixture(1), duelFixture(2), duelFixture(3, { ...DUEL_IN_PROGRESS, timedOut: true, endBlock: 9 })],
      [duelFixture(1), duelFixture(2, { endPower1: '70', endPower2: '130' }), duelFixture(3, DUEL_IN_PROGRESS)],
      [duelFixture(1), duelFixture(2, DUEL_IN_PROGRESS)],
      [
        duelFixture(1),
        duelFixture(2, DUEL_IN_PROGRESS),
        duelFixture(3, { ...DUEL_IN_PROGRESS, startBlock: 30, timeoutBlock: 1_030 }),
      ],
    ];
    const eventCounts = [1, 3, 5, 6, 7];
    for (const [i, duels] of steps.entries()) {
      service.duels = duels;
      await mineAndRead();
      await client.waitForEvents(eventCounts[i]!);
      expect(client.events.at(-1)!.block).toBe(chain.head.hash);
    }
    expect(client.batches.map((batch) => batch.map(({ root: { duelUpdates: duel } }) => [duel.id, duel.endBlockNumber]))).toEqual(
      [
        [[hashOf(0xd3), null]],
        [
          [hashOf(0xd2), '0x3'],
          [hashOf(0xd3), '0x9'],
        ],
        [
          [hashOf(0xd2), '0x3'],
          [hashOf(0xd3), null],
        ],
        [[hashOf(0xd2), null]],
        [[hashOf(0xd3), null]],
      ],
    );
  });
});

test.each<[string, 'wizards' | 'duels', Record<string, unknown>, Record<string, unknown>]>([
  ['wizardUpdates', 'wizards', { affinity: 4, power: '0100000000000000000001', molded: 1 }, { power: 'much' }],
  ['duelUpdates', 'duels', { affinity1: 4, isAscensionBattle: true, timeoutBlock: '1001' }, { endBlock: -1 }],
])('%s emits neither other changes nor an invalid entry, which it compares with its last valid state', async (...row) => {
  const [field, list, otherChanges, invalid] = row;
  const { service, streams, mineAndRead, responses } = await startStreams();
  const client = subscribeToStream<object>(list === 'wizards' ? streams.wizardUpdates(null) : streams.duelUpdates({}));
  await pollUntil(() => responses() === 1);
  const [first, ...others] = service[list];
  for (const entry of [{ ...first, ...otherChanges }, { ...first, ...invalid }, first]) {
    service[list] = [entry, ...others];
    await mineAndRead();
  }
  service[list] = [first, ...others, ...(list === 'wizards' ? [wizardFixture(9)] : [duelFixture(9)])];
  await mineAndRead();
  await client.waitForEvents(1);
  expect(client.events).toMatchObject([{ root: { [field]: { id: service[list].at(-1).id } } }]);
});

describe('filters', () => {
  test('wizardUpdates selects wizards by the exact text of their ids', async () => {
    const { service, streams, mineAndRead, responses } = await startStreams();
    const idLists = [['2', '3', '2'], ['02'], [], null, undefined, ['9']];
    const clients = idLists.map((ids) => subscribeToStream(streams.wizardUpdates(ids)));
    await pollUntil(() => responses() === 1);
    service.wizards = [1, 2, 3].map((n) => wizardFixture(n, { power: '5' }));
    await mineAndRead();
    await clients[3]!.waitForEvents(3);
    expect(clients.map(wizardsIn)).toEqual([['2', '3'], [], ['1', '2', '3'], ['1', '2', '3'], ['1', '2', '3'], []]);
  });

  test('duelUpdates applies the filter to the new state of a duel', async () => {
    const { service, streams, mineAndRead, responses } = await startStreams();
    const filters = [
      { wizardIds: ['3'] },
      { wizardIds: [] },
      { excludeInProgress: true },
      { excludeFinished: true },
      { excludeInProgress: true, excludeFinished: true },
      { startBlockFrom: '0x5' },
      { endBlockTo: '0x9' },
      {},
    ];
    const clients = filters.map((filter) => subscribeToStream(streams.duelUpdates(filter)));
    await pollUntil(() => responses() === 1);
    service.duels = [duelFixture(1, DUEL_IN_PROGRESS), duelFixture(2), duelFixture(9, { wizard2Id: '3' })];
    await mineAndRead();
    await clients.at(-1)!.waitForEvents(3);
    const [one, two, nine] = [hashOf(0xd1), hashOf(0xd2), hashOf(0xd9)];
    expect(clients.map(duelsIn)).toEqual([[nine], [one, two, nine], [two, nine], [one], [], [nine], [two], [one, two, nine]]);
  });

  test('wizardUpdates and duelUpdates throw BAD_USER_INPUT for more than 500 ids', async () => {
    const { streams, service } = await startStreams();
    const many = Array.from({ length: 501 }, (_none, i) => `${i}`);
    const errors = [() => streams.wizardUpdates(many), () => streams.duelUpdates({ wizardIds: many })].map((subscribe) => {
      try {
        return subscribe();
      } catch (error) {
        const { code, message, extensions } = error as GraphError;
        return [code, message, extensions.limit, extensions.actual];
      }
    });
    expect(errors).toEqual([
      ['BAD_USER_INPUT', '`ids` takes at most 500 ids.', 500, 501],
      ['BAD_USER_INPUT', '`wizardIds` takes at most 500 ids.', 500, 501],
    ]);
    streams.wizardUpdates(many.slice(1));
    expect(service.takePaths()).toEqual([]);
  });
});

describe('service failures', () => {
  test('wizardUpdates emits the changes since the last successful read after an outage, and logs one line at each end of an outage', async () => {
    const { service, streams, moveChain, logged, responses } = await startStreams();
    const client = subscribeToStream(streams.wizardUpdates(null));
    await pollUntil(() => responses() === 1);
    service.takePaths();
    const responseList = [
      { status: 401, body: WIZARD_CREDENTIALS },
      { body: { wizards: WIZARD_CREDENTIALS.key } },
      { status: 404, body: null },
    ];
    for (const response of responseList) {
      service.wizards[1] = wizardFixture(2, { power: '77' });
      let isRequested = false;
      service.script = () => {
        isRequested = true;
        return response;
      };
      await moveChain(0, 1);
      await pollUntil(() => isRequested);
    }
    expect(service.takePaths()).toEqual(['/wizards', '/wizards', '/wizards']);
    service.script = undefined;
    await moveChain(0, 1);
    await client.waitForEvents(1);
    expect([wizardsIn(client), client.ended]).toEqual([['2'], undefined]);
    const host = { endpoint: new URL(service.url).origin };
    const invalid = { level: 40, code: 'UPSTREAM_BAD_RESPONSE' };
    expect(logged).toMatchObject([{ level: 40, code: 'UPSTREAM_AUTH', ...host }, { level: 30, ...host }, invalid]);
    service.script = () => ({ body: {} });
    await moveChain(0, 1);
    await pollUntil(() => logged.length === 4);
    expect(logged[3]).toMatchObject(invalid);
    assertNoSecret(JSON.stringify(logged), 'the log');
  });
});

describe('slow service', () => {
  test('streams send one GET at a time, and one more for all heads that arrive during a read', async () => {
    const { service, streams, moveChain, chain } = await startStreams();
    const { held, paths, maxHeld, release } = holdResponses(service);
    const client = subscribeToStream(streams.wizardUpdates(null));
    await pollUntil(() => held.length === 1);
    release([wizardFixture(1)]);
    await moveChain(0, 1);
    await pollUntil(() => held.length === 1);
    const first = chain.head.hash;
    for (let i = 0; i < 4; i++) await moveChain(i % 2, 1 + (i % 2));
    const late = subscribeToStream(streams.wizardUpdates(['1']));
    release([wizardFixture(1, { power: '5' })]);
    await client.waitForEvents(1);
    await pollUntil(() => held.length === 1);
    release([wizardFixture(1, { power: '6' })]);
    await client.waitForEvents(2);
    expect([paths.length, maxHeld()]).toEqual([3, 1]);
    expect(client.events.map(({ block }) => block)).toEqual([first, chain.head.hash]);
    expect(late.events).toEqual(client.events);
  });

  test('events have the head of their read, or the current head if a reorg removed it', async () => {
    const { service, streams, moveChain, chain } = await startStreams();
    const { held, release } = holdResponses(service);
    const client = subscribeToStream(streams.wizardUpdates(null));
    await pollUntil(() => held.length === 1);
    release([wizardFixture(1)]);
    await moveChain(0, 1);
    await pollUntil(() => held.length === 1);
    const readHead = chain.head.hash;
    await moveChain(0, 2);
    release([wizardFixture(1, { power: '5' })]);
    await pollUntil(() => held.length === 1);
    const removedHead = chain.head.hash;
    await moveChain(3, 4);
    release([wizardFixture(1, { power: '6' })]);
    await client.waitForEvents(2);
    expect(client.events.map(({ block }) => block)).toEqual([readHead, chain.head.hash]);
    expect(removedHead).not.toBe(chain.head.hash);
  });

  test('streams abort the read when the last subscriber leaves and send a new GET for the next one', async () => {
    const { service, streams, logged } = await startStreams();
    const { held, paths, release } = holdResponses(service);
    const first = subscribeToStream(streams.wizardUpdates(null));
    await pollUntil(() => held.length === 1);
    let isClosed = false;
    held[0]!.response.once('close', () => {
      isClosed = true;
    });
    first.stop();
    await pollUntil(() => isClosed);
    held.shift();
    const next = subscribeToStream(streams.wizardUpdates(null));
    await pollUntil(() => held.length === 1);
    release([wizardFixture(1)]);
    expect([paths.length, first.events, next.events, logged]).toEqual([2, [], [], []]);
  });
});

describe('end of the feed', () => {
  test('streams end with GAP_TOO_LARGE if the feed does, and can be subscribed again', async () => {
    const { streams, service, chain, feed, responses } = await startStreams();
    const clients = [subscribeToStream(streams.wizardUpdates(null)), subscribeToStream(streams.duelUpdates({}))];
    await pollUntil(() => responses() === 2);
    service.takePaths();
    chain.reorg(39, 45);
    expect((await Promise.all(clients.map((client) => client.waitForEnd()))).map((end) => end === true || end.code)).toEqual([
      'GAP_TOO_LARGE',
      'GAP_TOO_LARGE',
    ]);
    const resubscribed = subscribeToStream(streams.wizardUpdates(null));
    await pollUntil(() => responses() === 3);
    service.wizards[0] = wizardFixture(1, { power: '1' });
    chain.mine();
    await resubscribed.waitForEvents(1);
    expect([wizardsIn(resubscribed), resubscribed.events[0]!.block, service.takePaths().length]).toEqual([
      ['1'],
      feed.head!.hash,
      2,
    ]);
  });
});

describe('large responses', () => {
  test('response above WIZARDS_MAX_BYTES ends current and later subscribers of its list with RESULT_TOO_LARGE', async () => {
    const { streams, service, mineAndRead, responses } = await startStreams(10_000);
    const wizards = subscribeToStream(streams.wizardUpdates(null));
    const duels = subscribeToStream(streams.duelUpdates({}));
    await pollUntil(() => responses() === 2);
    service.duels = Array.from({ length: 40 }, (_none, n) => duelFixture(n));
    await mineAndRead(2);
    const ends = [await duels.waitForEnd(), await subscribeToStream(streams.duelUpdates({})).waitForEnd()];
    for (const end of ends) {
      expect(end).toBeInstanceOf(GraphError);
      expect((end as GraphError).extensions).toEqual({
        code: 'RESULT_TOO_LARGE',
        retryable: false,
        source: 'wizard',
        limit: 10_000,
      });
      expect((end as GraphError).message).toContain('WIZARDS_MAX_BYTES');
    }
    service.wizards[0] = wizardFixture(1, { power: '1' });
    await mineAndRead();
    await wizards.waitForEvents(1);
    expect(wizardsIn(wizards)).toEqual(['1']);
  });
});

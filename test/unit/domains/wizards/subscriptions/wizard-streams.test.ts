import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Duel, Wizard } from '../../../../../src/domains/wizards/model.ts';
import { decodeWizard } from '../../../../../src/domains/wizards/service/decoders.ts';
import { createServiceReader, RestResultCache } from '../../../../../src/domains/wizards/service/service-reader.ts';
import { createDuelListReader } from '../../../../../src/domains/wizards/subscriptions/duel-list-reader.ts';
import { wizardFingerprint } from '../../../../../src/domains/wizards/subscriptions/entry-diff.ts';
import { createWizardStreams } from '../../../../../src/domains/wizards/subscriptions/index.ts';
import { createListWatch, type ListChanges } from '../../../../../src/domains/wizards/subscriptions/list-watch.ts';
import { GraphError } from '../../../../../src/errors.ts';
import type { ChainFeed } from '../../../../../src/sync/feed.ts';
import { createRestClient } from '../../../../../src/upstream/rest/rest-client.ts';
import { type StreamSubscriber, subscribeToStream } from '../../../../support/clients/stream-subscriber.ts';
import { addressOf, hashOf } from '../../../../support/graph/stubbed-graph.ts';
import { assertNoSecret, WIZARD_CREDENTIALS } from '../../../../support/secrets.ts';
import { SimChain } from '../../../../support/simulator/chain.ts';
import { pollUntil, startFeed } from '../../../../support/subscriptions/feed-setup.ts';
import {
  DUEL_IN_PROGRESS,
  duelFixture,
  type ScriptedWizardService,
  startScriptedWizardService,
  wizardFixture,
} from '../../../../support/upstream/scripted-wizard-service.ts';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of cleanups.splice(0)) await stop();
});

/** The streams of a tournament over the real feed of a simulated chain, and over a service that a test scripts. */
async function startWatch(maxResponseBytes?: number) {
  const chain = new SimChain({ seed: 1 });
  chain.mine(40);
  const { feed } = await startFeed(chain);
  const service = await startScriptedWizardService();
  cleanups.push(service.stop);
  service.wizards = [1, 2, 3].map((n) => wizardFixture(n));
  service.duels = [duelFixture(1), duelFixture(2, DUEL_IN_PROGRESS)];
  const { token, email } = WIZARD_CREDENTIALS;
  const headers = { 'x-api-token': token, 'x-email': email };
  const rest = createRestClient({
    ...{ url: service.url, headers, name: 'The wizard service', source: 'wizard', timeoutMs: 5_000 },
    ...(maxResponseBytes && { maxResponseBytes, sizeSetting: 'WIZARDS_MAX_BYTES' }),
  });
  cleanups.push(() => rest.close());
  const logged: any[] = [];
  const log = pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  let listening = 0;
  const heads: ChainFeed['subscribeHeads'] = (listener) => {
    const stop = feed.subscribeHeads(listener);
    listening++;
    return () => {
      listening--;
      stop();
    };
  };
  const heard = {
    get head() {
      return feed.head;
    },
    subscribeHeads: heads,
  };
  const live = createWizardStreams({ feed: heard, log }, { rest, cache: new RestResultCache() });
  const answered = count(service);
  /** Moves the chain, and resolves when the feed has heard of it. */
  const move = async (depth: number, length: number) => {
    chain.reorg(depth, length);
    await pollUntil(() => feed.head?.hash === chain.head.hash);
  };
  /** Moves it by one block, and resolves when so many looks for it have their answers. */
  const look = async (gets = 1) => {
    const wanted = answered() + gets;
    await move(0, 1);
    await pollUntil(() => answered() >= wanted);
  };
  return { chain, feed, service, rest, live, log, logged, move, look, answered, listening: () => listening };
}

/** Counts answers that have reached this process whole, as far as a service can know: each is followed by a turn of the loop. */
function count(service: ScriptedWizardService): () => number {
  let answers = 0;
  service.script = (_path, response) => {
    response.once('finish', () => setImmediate(() => answers++));
    return undefined;
  };
  return () => answers;
}

/** Holds answers back until they are let go. */
function holdResponses(service: ScriptedWizardService) {
  const held: { readonly path: string; readonly response: ServerResponse }[] = [];
  let most = 0;
  const seen: string[] = [];
  service.script = (path, response) => {
    seen.push(path);
    held.push({ path, response });
    most = Math.max(most, held.length);
    return 'handled';
  };
  return {
    seen,
    most: () => most,
    /** What is held, in the order in which it came. */
    held,
    release(wizards: readonly unknown[]) {
      held.shift()!.response.end(JSON.stringify({ wizards }));
    },
  };
}

const wizardsIn = ({ events }: StreamSubscriber<any>) => events.map(({ root }) => root.wizardUpdates.id);
const duelsIn = ({ events }: StreamSubscriber<any>) => events.map(({ root }) => root.duelUpdates.id);

describe('any number of subscribers', () => {
  test('cost 1 GET of each list when the first comes, and 1 of each a head', async () => {
    const { service, live, look, answered } = await startWatch();
    expect(service.takePaths()).toEqual([]);
    const wizards = Array.from({ length: 5 }, (_none, i) => subscribeToStream(live.wizardUpdates(i === 0 ? null : [`${i}`])));
    const duels = Array.from({ length: 4 }, () => subscribeToStream(live.duelUpdates({})));
    await pollUntil(() => answered() === 2);
    expect(service.takePaths().sort()).toEqual(['/duels', '/wizards']);
    for (let i = 0; i < 3; i++) {
      service.wizards = [wizardFixture(1, { power: `${i}` }), wizardFixture(2), wizardFixture(3)];
      await look(2);
      await wizards[0]!.waitForEvents(i + 1);
      expect(service.takePaths().sort()).toEqual(['/duels', '/wizards']);
    }
    expect(wizards.map(wizardsIn)).toEqual([['1', '1', '1'], ['1', '1', '1'], [], [], []]);
    expect(duels.flatMap(duelsIn)).toEqual([]);
  });

  test('of one list cost no GET of the other, and nothing once they have gone', async () => {
    const { service, live, look, move, answered, listening } = await startWatch();
    const [one, other] = [subscribeToStream(live.duelUpdates({})), subscribeToStream(live.duelUpdates({}))];
    await pollUntil(() => answered() === 1);
    one.stop();
    await look();
    expect(service.takePaths()).toEqual(['/duels', '/duels']);
    other.stop();
    // Timers go off in their order: by then nobody has come instead.
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(listening()).toBe(0);
    await move(0, 1);
    const next = subscribeToStream(live.wizardUpdates(null));
    await pollUntil(() => answered() === 3);
    expect(service.takePaths()).toEqual(['/wizards']);
    expect([next, one, other].map(({ events }) => events)).toEqual([[], [], []]);
  });
});

describe('what is told', () => {
  test('is what has changed since the look before, one batch a head, to be read at that head', async () => {
    const { service, live, look, chain, answered } = await startWatch();
    service.wizards.push(wizardFixture(4, { eliminatedBlockNumber: 7 }));
    const client = subscribeToStream(live.wizardUpdates(null));
    await pollUntil(() => answered() === 1);
    service.wizards = [
      wizardFixture(1, { power: '7' }),
      wizardFixture(2, { affinity: 0, initialPower: '1' }),
      wizardFixture(3, { owner: addressOf(0xbb) }),
      wizardFixture(4, { eliminatedBlockNumber: null }),
      wizardFixture(5),
    ];
    await look();
    await client.waitForEvents(4);
    const first = chain.head.hash;
    service.wizards = [wizardFixture(1, { power: '7', eliminatedBlockNumber: 21 })];
    await look();
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

  test('of duels is each start, end and time-out, and what a reorg has taken back', async () => {
    const { service, live, look, answered, chain } = await startWatch();
    const client = subscribeToStream(live.duelUpdates({}));
    await pollUntil(() => answered() === 1);
    const steps: any[][] = [
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
    const told = [1, 3, 5, 6, 7];
    for (const [i, duels] of steps.entries()) {
      service.duels = duels;
      await look();
      await client.waitForEvents(told[i]!);
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

  test('of a list in which something cannot be read is the rest', async () => {
    const { service, live, look, answered } = await startWatch();
    const client = subscribeToStream(live.wizardUpdates(null));
    await pollUntil(() => answered() === 1);
    service.wizards = [wizardFixture(1, { power: 'much' }), wizardFixture(2, { power: '2' }), 'nonsense'];
    await look();
    await client.waitForEvents(1);
    service.wizards = [wizardFixture(1), wizardFixture(2, { power: '3' })];
    await look();
    await client.waitForEvents(2);
    expect(wizardsIn(client)).toEqual(['2', '2']);
  });
});

describe('a filter', () => {
  test('of ids lets those through, by their very text', async () => {
    const { service, live, look, answered } = await startWatch();
    const asked = [['2', '3', '2'], ['02'], [], null, undefined, ['9']];
    const clients = asked.map((ids) => subscribeToStream(live.wizardUpdates(ids)));
    await pollUntil(() => answered() === 1);
    service.wizards = [1, 2, 3].map((n) => wizardFixture(n, { power: '5' }));
    await look();
    await clients[3]!.waitForEvents(3);
    expect(clients.map(wizardsIn)).toEqual([['2', '3'], [], ['1', '2', '3'], ['1', '2', '3'], ['1', '2', '3'], []]);
  });

  test('of duels is that of the query, on what the duel has become', async () => {
    const { service, live, look, answered } = await startWatch();
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
    const clients = filters.map((filter) => subscribeToStream(live.duelUpdates(filter)));
    await pollUntil(() => answered() === 1);
    service.duels = [duelFixture(1, DUEL_IN_PROGRESS), duelFixture(2), duelFixture(9, { wizard2Id: '3' })];
    await look();
    await clients.at(-1)!.waitForEvents(3);
    const [one, two, nine] = [hashOf(0xd1), hashOf(0xd2), hashOf(0xd9)];
    expect(clients.map(duelsIn)).toEqual([[nine], [one, two, nine], [two, nine], [one], [], [nine], [two], [one, two, nine]]);
  });

  test('that names more than 500 ids is refused when subscribing', async () => {
    const { live, service } = await startWatch();
    const many = Array.from({ length: 501 }, (_none, i) => `${i}`);
    const refusals = [() => live.wizardUpdates(many), () => live.duelUpdates({ wizardIds: many })].map((subscribe) => {
      try {
        return subscribe();
      } catch (error) {
        const { code, message, extensions } = error as GraphError;
        return [code, message, extensions.limit, extensions.actual];
      }
    });
    expect(refusals).toEqual([
      ['BAD_USER_INPUT', '`ids` takes at most 500 ids.', 500, 501],
      ['BAD_USER_INPUT', '`wizardIds` takes at most 500 ids.', 500, 501],
    ]);
    live.wizardUpdates(many.slice(1));
    expect(service.takePaths()).toEqual([]);
  });
});

describe('a service that fails', () => {
  test('is waited for: nothing is told, and then what has changed since the last answer', async () => {
    const { service, live, move, logged, answered } = await startWatch();
    const client = subscribeToStream(live.wizardUpdates(null));
    await pollUntil(() => answered() === 1);
    service.takePaths();
    const answers = [
      { status: 401, body: WIZARD_CREDENTIALS },
      { body: { wizards: WIZARD_CREDENTIALS.key } },
      { status: 404, body: null },
    ];
    for (const answer of answers) {
      service.wizards[1] = wizardFixture(2, { power: '77' });
      let isAsked = false;
      service.script = () => {
        isAsked = true;
        return answer;
      };
      await move(0, 1);
      await pollUntil(() => isAsked);
    }
    expect(service.takePaths()).toEqual(['/wizards', '/wizards', '/wizards']);
    service.script = undefined;
    await move(0, 1);
    await client.waitForEvents(1);
    expect([wizardsIn(client), client.ended]).toEqual([['2'], undefined]);
    // Once for an outage.
    expect(logged).toEqual([expect.objectContaining({ level: 40, code: 'UPSTREAM_AUTH' })]);
    service.script = () => ({ body: {} });
    await move(0, 1);
    await pollUntil(() => logged.length === 2);
    expect(logged[1]).toMatchObject({ level: 40, code: 'UPSTREAM_BAD_RESPONSE' });
    assertNoSecret(JSON.stringify(logged), 'the log');
  });

  test('at the first look has its first answer for a base', async () => {
    const { service, live, move, logged } = await startWatch();
    service.script = () => ({ status: 403, body: null });
    const client = subscribeToStream(live.wizardUpdates(null));
    await pollUntil(() => logged.length === 1);
    const answered = count(service);
    await move(0, 1);
    await pollUntil(() => answered() === 1);
    service.wizards[0] = wizardFixture(1, { power: '1' });
    await move(0, 1);
    await client.waitForEvents(1);
    expect([wizardsIn(client), answered()]).toEqual([['1'], 2]);
  });
});

describe('a slow service', () => {
  test('is asked once at a time: heads that come meanwhile make one more look', async () => {
    const { service, live, move, chain } = await startWatch();
    const { held, seen, most, release } = holdResponses(service);
    const client = subscribeToStream(live.wizardUpdates(null));
    await pollUntil(() => held.length === 1);
    release([wizardFixture(1)]);
    await move(0, 1);
    await pollUntil(() => held.length === 1);
    const first = chain.head.hash;
    for (let i = 0; i < 4; i++) await move(i % 2, 1 + (i % 2));
    const late = subscribeToStream(live.wizardUpdates(['1']));
    release([wizardFixture(1, { power: '5' })]);
    await client.waitForEvents(1);
    await pollUntil(() => held.length === 1);
    release([wizardFixture(1, { power: '6' })]);
    await client.waitForEvents(2);
    expect([seen.length, most()]).toEqual([3, 1]);
    expect(client.events.map(({ block }) => block)).toEqual([first, chain.head.hash]);
    expect(late.events).toEqual(client.events);
  });

  test('tells what it was asked for by a head under that head, and under the present one when a reorg has taken it away', async () => {
    const { service, live, move, chain } = await startWatch();
    const { held, release } = holdResponses(service);
    const client = subscribeToStream(live.wizardUpdates(null));
    await pollUntil(() => held.length === 1);
    release([wizardFixture(1)]);
    await move(0, 1);
    await pollUntil(() => held.length === 1);
    const asked = chain.head.hash;
    await move(0, 2);
    release([wizardFixture(1, { power: '5' })]);
    await pollUntil(() => held.length === 1);
    const again = chain.head.hash;
    await move(3, 4);
    release([wizardFixture(1, { power: '6' })]);
    await client.waitForEvents(2);
    expect(client.events.map(({ block }) => block)).toEqual([asked, chain.head.hash]);
    expect(again).not.toBe(chain.head.hash);
  });

  test('is let go when the last subscriber leaves, and asked anew for whoever comes', async () => {
    const { service, live, logged } = await startWatch();
    const { held, seen, release } = holdResponses(service);
    const first = subscribeToStream(live.wizardUpdates(null));
    await pollUntil(() => held.length === 1);
    let isCut = false;
    held[0]!.response.once('close', () => {
      isCut = true;
    });
    first.stop();
    await pollUntil(() => isCut);
    held.shift();
    const next = subscribeToStream(live.wizardUpdates(null));
    await pollUntil(() => held.length === 1);
    release([wizardFixture(1)]);
    expect([seen.length, first.events, next.events, logged]).toEqual([2, [], [], []]);
  });

  test('that answers one whom nobody listens to any more says nothing to those who came later', async () => {
    const { feed, log, move } = await startWatch();
    const answers: ((list: readonly Wizard[]) => void)[] = [];
    const signals: AbortSignal[] = [];
    const list = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<readonly Wizard[]>((resolve) => void answers.push(resolve));
    };
    const watch = createListWatch({ feed, createListReader: () => list, fingerprintOf: wizardFingerprint, log });
    const told: ListChanges<Wizard>[] = [];
    const join = () => watch.subscribe({ next: (changes) => void told.push(changes), end: () => {} });
    const read = (power: string) => [decodeWizard(wizardFixture(1, { power })) as Wizard];
    const leave = join();
    answers.shift()!(read('1'));
    await move(0, 1);
    await pollUntil(() => answers.length === 1);
    leave();
    await new Promise((resolve) => setTimeout(resolve, 1));
    join();
    const [late, base] = answers.splice(0);
    late!(read('2'));
    base!(read('3'));
    await move(0, 1);
    answers.shift()!(read('4'));
    await pollUntil(() => told.length > 0);
    expect(told.map(({ entries }) => entries.map(({ power }) => power))).toEqual([['4']]);
    // Whoever reads listens to the signal of his look, so none is that of many looks.
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true, false, false]);
    expect(new Set(signals).size).toBe(4);
  });
});

describe('when the feed ends', () => {
  test('because the chain cannot be told block by block the streams end so, and can be opened again', async () => {
    const { live, service, chain, feed, answered } = await startWatch();
    const clients = [subscribeToStream(live.wizardUpdates(null)), subscribeToStream(live.duelUpdates({}))];
    await pollUntil(() => answered() === 2);
    service.takePaths();
    chain.reorg(39, 45);
    expect((await Promise.all(clients.map((client) => client.waitForEnd()))).map((end) => end === true || end.code)).toEqual([
      'GAP_TOO_LARGE',
      'GAP_TOO_LARGE',
    ]);
    const again = subscribeToStream(live.wizardUpdates(null));
    await pollUntil(() => answered() === 3);
    service.wizards[0] = wizardFixture(1, { power: '1' });
    chain.mine();
    await again.waitForEvents(1);
    expect([wizardsIn(again), again.events[0]!.block, service.takePaths().length]).toEqual([['1'], feed.head!.hash, 2]);
  });

  test('for good the streams end so, and so does whoever comes later', async () => {
    const { live, feed, answered } = await startWatch();
    const client = subscribeToStream(live.duelUpdates({}));
    await pollUntil(() => answered() === 1);
    await feed.stop();
    const late = subscribeToStream(live.duelUpdates({}));
    const ends = await Promise.all([client.waitForEnd(), late.waitForEnd()]);
    expect(ends.map((end) => end instanceof GraphError && end.code)).toEqual(['SHUTTING_DOWN', 'SHUTTING_DOWN']);
  });
});

describe('a list that is larger than a response may be', () => {
  test('ends the streams with RESULT_TOO_LARGE, those that come later as well, and those of the other list go on', async () => {
    const { live, service, look, answered } = await startWatch(10_000);
    const wizards = subscribeToStream(live.wizardUpdates(null));
    const duels = subscribeToStream(live.duelUpdates({}));
    await pollUntil(() => answered() === 2);
    service.duels = Array.from({ length: 40 }, (_none, n) => duelFixture(n));
    await look(2);
    const ends = [await duels.waitForEnd(), await subscribeToStream(live.duelUpdates({})).waitForEnd()];
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
    await look();
    await wizards.waitForEvents(1);
    expect(wizardsIn(wizards)).toEqual(['1']);
  });
});

describe('a list of more than 2,000 duels', () => {
  const COUNT = 2_100;
  const many = () => Array.from({ length: COUNT }, (_none, n) => duelFixture(n + 1, { startBlock: 1, endBlock: 2 }));
  const shortened = (paths: readonly string[]) => paths.map((path) => path.replace(/=\d+$/, '=n'));

  async function longWorld() {
    const all = await startWatch();
    all.service.duels = [...many(), duelFixture(COUNT + 1, DUEL_IN_PROGRESS)];
    const client = subscribeToStream(all.live.duelUpdates({}));
    await pollUntil(() => all.answered() === 1);
    expect(all.service.takePaths()).toEqual(['/duels']);
    return { ...all, client };
  }

  test('is read whole once, and then only what is in progress and what has ended', async () => {
    const { service, look, client, chain } = await longWorld();
    const last = service.duels[COUNT];
    service.duels[COUNT] = duelFixture(COUNT + 1, { endBlock: Number(chain.head.header.number) + 1 });
    service.duels.push(duelFixture(COUNT + 2, DUEL_IN_PROGRESS));
    await look(2);
    await client.waitForEvents(2);
    expect(duelsIn(client)).toEqual([service.duels[COUNT].id, service.duels[COUNT + 1].id]);
    expect(shortened(service.takePaths())).toEqual(['/duels?excludeFinished=true', '/duels?endBlockFrom=n']);
    // A reorg takes the end and the beginning back; what vanishes is not told, and is new when it comes again.
    const [finished, begun] = service.duels.splice(COUNT, 2, last);
    await look(2);
    await client.waitForEvents(3);
    service.duels.splice(COUNT, 1, finished, begun);
    await look(2);
    await client.waitForEvents(5);
    expect(duelsIn(client).slice(2)).toEqual([last.id, finished.id, begun.id]);
    expect(client.events.map(({ root }) => root.duelUpdates.endBlockNumber === null)).toEqual([false, true, true, false, true]);
  });

  test('is read whole again after 100 heads, with what has changed of old duels since', async () => {
    const { service, rest } = await startWatch();
    service.duels = many();
    let height = 1_000;
    const reader = (signal: AbortSignal) =>
      createServiceReader({ rest, cache: new RestResultCache() }, { operation: { signal, isVolatile: true } });
    const list = createDuelListReader(reader, () => height++);
    const powers = async () => {
      const duels = (await list(new AbortController().signal)) as readonly Duel[];
      return [duels.length, duels[5]!.endPower1];
    };
    expect([await powers(), service.takePaths()]).toEqual([[COUNT, '130'], ['/duels']]);
    service.duels[5] = { ...service.duels[5], endPower1: '7' };
    for (let head = 0; head < 100; head++) expect(await powers()).toEqual([COUNT, '130']);
    const paths = service.takePaths();
    expect([paths.length, paths.slice(0, 2)]).toEqual([200, ['/duels?excludeFinished=true', '/duels?endBlockFrom=744']]);
    expect([await powers(), service.takePaths()]).toEqual([[COUNT, '7'], ['/duels']]);
  });

  test.each([
    ['ignores the filters', (service: ScriptedWizardService) => ({ body: { duels: service.duels } })],
    ['refuses the filters', () => ({ status: 400, body: {} })],
    ['does not have the filters', () => ({ status: 404, body: {} })],
  ])('is read whole for each head where the service %s', async (_how, answer) => {
    const { service, move, client } = await longWorld();
    service.script = (path) => (path.includes('?') ? answer(service) : undefined);
    for (const n of [1, 2, 3]) {
      service.duels[n] = { ...service.duels[n], endPower1: '7' };
      await move(0, 1);
      await client.waitForEvents(n);
    }
    expect(duelsIn(client)).toEqual([1, 2, 3].map((n) => service.duels[n].id));
    expect(service.takePaths()).toEqual(['/duels?excludeFinished=true', '/duels', '/duels', '/duels']);
  });
});

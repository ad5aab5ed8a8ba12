import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { Kept, openReader } from '../../../../../src/domains/wizards/loaders/service-reader.ts';
import type { Duel, Wizard } from '../../../../../src/domains/wizards/model.ts';
import { wizardIn } from '../../../../../src/domains/wizards/service-decoders.ts';
import { wizardFacts } from '../../../../../src/domains/wizards/subscriptions/changes.ts';
import { openDuelList } from '../../../../../src/domains/wizards/subscriptions/duel-list.ts';
import { openLive } from '../../../../../src/domains/wizards/subscriptions/index.ts';
import { type Changes, openWatch } from '../../../../../src/domains/wizards/subscriptions/watcher.ts';
import { GraphError } from '../../../../../src/errors.ts';
import type { Feed } from '../../../../../src/sync/feed.ts';
import { openRest } from '../../../../../src/upstream/rest/rest-client.ts';
import { type StreamClient, subscribeTo } from '../../../../support/clients/stream-client.ts';
import { addressOf, hashOf } from '../../../../support/graph/in-process.ts';
import { assertNoSecret, WIZARD_KEYS } from '../../../../support/secrets.ts';
import { SimChain } from '../../../../support/simulator/chain.ts';
import { feedOver, until } from '../../../../support/subscriptions/feed.ts';
import {
  duelOf,
  IN_PROGRESS,
  type ScriptedWizards,
  startScriptedWizards,
  wizardOf,
} from '../../../../support/upstream/scripted-wizards.ts';

const leftOver: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of leftOver.splice(0)) await stop();
});

/** The streams of a tournament over the real feed of a simulated chain, and over a service that a test scripts. */
async function world(largest?: number) {
  const chain = new SimChain({ seed: 1 });
  chain.mine(40);
  const { feed } = await feedOver(chain);
  const service = await startScriptedWizards();
  leftOver.push(service.stop);
  service.wizards = [1, 2, 3].map((n) => wizardOf(n));
  service.duels = [duelOf(1), duelOf(2, IN_PROGRESS)];
  const { token, email } = WIZARD_KEYS;
  const headers = { 'x-api-token': token, 'x-email': email };
  const rest = openRest({
    ...{ url: service.url, headers, name: 'The wizard service', source: 'wizard', timeoutMs: 5_000 },
    ...(largest && { largest, sizeSetting: 'WIZARDS_MAX_BYTES' }),
  });
  leftOver.push(() => rest.close());
  const logged: any[] = [];
  const log = pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  let listening = 0;
  const heads: Feed['heads'] = (listener) => {
    const stop = feed.heads(listener);
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
    heads,
  };
  const live = openLive({ feed: heard, log }, { rest, kept: new Kept() });
  const answered = count(service);
  /** Moves the chain, and resolves when the feed has heard of it. */
  const move = async (depth: number, length: number) => {
    chain.reorg(depth, length);
    await until(() => feed.head?.hash === chain.head.hash);
  };
  /** Moves it by one block, and resolves when so many looks for it have their answers. */
  const look = async (gets = 1) => {
    const wanted = answered() + gets;
    await move(0, 1);
    await until(() => answered() >= wanted);
  };
  return { chain, feed, service, rest, live, log, logged, move, look, answered, listening: () => listening };
}

/** Counts answers that have reached this process whole, as far as a service can know: each is followed by a turn of the loop. */
function count(service: ScriptedWizards): () => number {
  let answers = 0;
  service.script = (_path, response) => {
    response.once('finish', () => setImmediate(() => answers++));
    return undefined;
  };
  return () => answers;
}

/** Holds answers back until they are let go. */
function hold(service: ScriptedWizards) {
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

const wizardsIn = ({ events }: StreamClient<any>) => events.map(({ root }) => root.wizardUpdates.id);
const duelsIn = ({ events }: StreamClient<any>) => events.map(({ root }) => root.duelUpdates.id);

describe('any number of subscribers', () => {
  test('cost 1 GET of each list when the first comes, and 1 of each a head', async () => {
    const { service, live, look, answered } = await world();
    expect(service.taken()).toEqual([]);
    const wizards = Array.from({ length: 5 }, (_none, i) => subscribeTo(live.wizardUpdates(i === 0 ? null : [`${i}`])));
    const duels = Array.from({ length: 4 }, () => subscribeTo(live.duelUpdates({})));
    await until(() => answered() === 2);
    expect(service.taken().sort()).toEqual(['/duels', '/wizards']);
    for (let i = 0; i < 3; i++) {
      service.wizards = [wizardOf(1, { power: `${i}` }), wizardOf(2), wizardOf(3)];
      await look(2);
      await wizards[0]!.has(i + 1);
      expect(service.taken().sort()).toEqual(['/duels', '/wizards']);
    }
    expect(wizards.map(wizardsIn)).toEqual([['1', '1', '1'], ['1', '1', '1'], [], [], []]);
    expect(duels.flatMap(duelsIn)).toEqual([]);
  });

  test('of one list cost no GET of the other, and nothing once they have gone', async () => {
    const { service, live, look, move, answered, listening } = await world();
    const [one, other] = [subscribeTo(live.duelUpdates({})), subscribeTo(live.duelUpdates({}))];
    await until(() => answered() === 1);
    one.stop();
    await look();
    expect(service.taken()).toEqual(['/duels', '/duels']);
    other.stop();
    // Timers go off in their order: by then nobody has come instead.
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(listening()).toBe(0);
    await move(0, 1);
    const next = subscribeTo(live.wizardUpdates(null));
    await until(() => answered() === 3);
    expect(service.taken()).toEqual(['/wizards']);
    expect([next, one, other].map(({ events }) => events)).toEqual([[], [], []]);
  });
});

describe('what is told', () => {
  test('is what has changed since the look before, one batch a head, to be read at that head', async () => {
    const { service, live, look, chain, answered } = await world();
    service.wizards.push(wizardOf(4, { eliminatedBlockNumber: 7 }));
    const client = subscribeTo(live.wizardUpdates(null));
    await until(() => answered() === 1);
    service.wizards = [
      wizardOf(1, { power: '7' }),
      wizardOf(2, { affinity: 0, initialPower: '1' }),
      wizardOf(3, { owner: addressOf(0xbb) }),
      wizardOf(4, { eliminatedBlockNumber: null }),
      wizardOf(5),
    ];
    await look();
    await client.has(4);
    const first = chain.head.hash;
    service.wizards = [wizardOf(1, { power: '7', eliminatedBlockNumber: 21 })];
    await look();
    await client.has(5);
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
    const { service, live, look, answered, chain } = await world();
    const client = subscribeTo(live.duelUpdates({}));
    await until(() => answered() === 1);
    const steps: any[][] = [
      [duelOf(1), duelOf(2, IN_PROGRESS), duelOf(3, IN_PROGRESS)],
      [duelOf(1), duelOf(2), duelOf(3, { ...IN_PROGRESS, timedOut: true, endBlock: 9 })],
      [duelOf(1), duelOf(2, { endPower1: '70', endPower2: '130' }), duelOf(3, IN_PROGRESS)],
      [duelOf(1), duelOf(2, IN_PROGRESS)],
      [duelOf(1), duelOf(2, IN_PROGRESS), duelOf(3, { ...IN_PROGRESS, startBlock: 30, timeoutBlock: 1_030 })],
    ];
    const told = [1, 3, 5, 6, 7];
    for (const [i, duels] of steps.entries()) {
      service.duels = duels;
      await look();
      await client.has(told[i]!);
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
    const { service, live, look, answered } = await world();
    const client = subscribeTo(live.wizardUpdates(null));
    await until(() => answered() === 1);
    service.wizards = [wizardOf(1, { power: 'much' }), wizardOf(2, { power: '2' }), 'nonsense'];
    await look();
    await client.has(1);
    service.wizards = [wizardOf(1), wizardOf(2, { power: '3' })];
    await look();
    await client.has(2);
    expect(wizardsIn(client)).toEqual(['2', '2']);
  });
});

describe('a filter', () => {
  test('of ids lets those through, by their very text', async () => {
    const { service, live, look, answered } = await world();
    const asked = [['2', '3', '2'], ['02'], [], null, undefined, ['9']];
    const clients = asked.map((ids) => subscribeTo(live.wizardUpdates(ids)));
    await until(() => answered() === 1);
    service.wizards = [1, 2, 3].map((n) => wizardOf(n, { power: '5' }));
    await look();
    await clients[3]!.has(3);
    expect(clients.map(wizardsIn)).toEqual([['2', '3'], [], ['1', '2', '3'], ['1', '2', '3'], ['1', '2', '3'], []]);
  });

  test('of duels is that of the query, on what the duel has become', async () => {
    const { service, live, look, answered } = await world();
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
    const clients = filters.map((filter) => subscribeTo(live.duelUpdates(filter)));
    await until(() => answered() === 1);
    service.duels = [duelOf(1, IN_PROGRESS), duelOf(2), duelOf(9, { wizard2Id: '3' })];
    await look();
    await clients.at(-1)!.has(3);
    const [one, two, nine] = [hashOf(0xd1), hashOf(0xd2), hashOf(0xd9)];
    expect(clients.map(duelsIn)).toEqual([[nine], [one, two, nine], [two, nine], [one], [], [nine], [two], [one, two, nine]]);
  });

  test('that names more than 500 ids is refused when subscribing', async () => {
    const { live, service } = await world();
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
    expect(service.taken()).toEqual([]);
  });
});

describe('a service that fails', () => {
  test('is waited for: nothing is told, and then what has changed since the last answer', async () => {
    const { service, live, move, logged, answered } = await world();
    const client = subscribeTo(live.wizardUpdates(null));
    await until(() => answered() === 1);
    service.taken();
    const answers = [{ status: 401, body: WIZARD_KEYS }, { body: { wizards: WIZARD_KEYS.key } }, { status: 404, body: null }];
    for (const answer of answers) {
      service.wizards[1] = wizardOf(2, { power: '77' });
      let isAsked = false;
      service.script = () => {
        isAsked = true;
        return answer;
      };
      await move(0, 1);
      await until(() => isAsked);
    }
    expect(service.taken()).toEqual(['/wizards', '/wizards', '/wizards']);
    service.script = undefined;
    await move(0, 1);
    await client.has(1);
    expect([wizardsIn(client), client.ended]).toEqual([['2'], undefined]);
    // Once for an outage.
    expect(logged).toEqual([expect.objectContaining({ level: 40, code: 'UPSTREAM_AUTH' })]);
    service.script = () => ({ body: {} });
    await move(0, 1);
    await until(() => logged.length === 2);
    expect(logged[1]).toMatchObject({ level: 40, code: 'UPSTREAM_BAD_RESPONSE' });
    assertNoSecret(JSON.stringify(logged), 'the log');
  });

  test('at the first look has its first answer for a base', async () => {
    const { service, live, move, logged } = await world();
    service.script = () => ({ status: 403, body: null });
    const client = subscribeTo(live.wizardUpdates(null));
    await until(() => logged.length === 1);
    const answered = count(service);
    await move(0, 1);
    await until(() => answered() === 1);
    service.wizards[0] = wizardOf(1, { power: '1' });
    await move(0, 1);
    await client.has(1);
    expect([wizardsIn(client), answered()]).toEqual([['1'], 2]);
  });
});

describe('a slow service', () => {
  test('is asked once at a time: heads that come meanwhile make one more look', async () => {
    const { service, live, move, chain } = await world();
    const { held, seen, most, release } = hold(service);
    const client = subscribeTo(live.wizardUpdates(null));
    await until(() => held.length === 1);
    release([wizardOf(1)]);
    await move(0, 1);
    await until(() => held.length === 1);
    const first = chain.head.hash;
    for (let i = 0; i < 4; i++) await move(i % 2, 1 + (i % 2));
    const late = subscribeTo(live.wizardUpdates(['1']));
    release([wizardOf(1, { power: '5' })]);
    await client.has(1);
    await until(() => held.length === 1);
    release([wizardOf(1, { power: '6' })]);
    await client.has(2);
    expect([seen.length, most()]).toEqual([3, 1]);
    expect(client.events.map(({ block }) => block)).toEqual([first, chain.head.hash]);
    expect(late.events).toEqual(client.events);
  });

  test('tells what it was asked for by a head under that head, and under the present one when a reorg has taken it away', async () => {
    const { service, live, move, chain } = await world();
    const { held, release } = hold(service);
    const client = subscribeTo(live.wizardUpdates(null));
    await until(() => held.length === 1);
    release([wizardOf(1)]);
    await move(0, 1);
    await until(() => held.length === 1);
    const asked = chain.head.hash;
    await move(0, 2);
    release([wizardOf(1, { power: '5' })]);
    await until(() => held.length === 1);
    const again = chain.head.hash;
    await move(3, 4);
    release([wizardOf(1, { power: '6' })]);
    await client.has(2);
    expect(client.events.map(({ block }) => block)).toEqual([asked, chain.head.hash]);
    expect(again).not.toBe(chain.head.hash);
  });

  test('is let go when the last subscriber leaves, and asked anew for whoever comes', async () => {
    const { service, live, logged } = await world();
    const { held, seen, release } = hold(service);
    const first = subscribeTo(live.wizardUpdates(null));
    await until(() => held.length === 1);
    let isCut = false;
    held[0]!.response.once('close', () => {
      isCut = true;
    });
    first.stop();
    await until(() => isCut);
    held.shift();
    const next = subscribeTo(live.wizardUpdates(null));
    await until(() => held.length === 1);
    release([wizardOf(1)]);
    expect([seen.length, first.events, next.events, logged]).toEqual([2, [], [], []]);
  });

  test('that answers one whom nobody listens to any more says nothing to those who came later', async () => {
    const { feed, log, move } = await world();
    const answers: ((list: readonly Wizard[]) => void)[] = [];
    const signals: AbortSignal[] = [];
    const list = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<readonly Wizard[]>((resolve) => void answers.push(resolve));
    };
    const watch = openWatch({ feed, openList: () => list, factsOf: wizardFacts, log });
    const told: Changes<Wizard>[] = [];
    const join = () => watch.join({ next: (changes) => void told.push(changes), end: () => {} });
    const read = (power: string) => [wizardIn(wizardOf(1, { power })) as Wizard];
    const leave = join();
    answers.shift()!(read('1'));
    await move(0, 1);
    await until(() => answers.length === 1);
    leave();
    await new Promise((resolve) => setTimeout(resolve, 1));
    join();
    const [late, base] = answers.splice(0);
    late!(read('2'));
    base!(read('3'));
    await move(0, 1);
    answers.shift()!(read('4'));
    await until(() => told.length > 0);
    expect(told.map(({ entries }) => entries.map(({ power }) => power))).toEqual([['4']]);
    // Whoever reads listens to the signal of his look, so none is that of many looks.
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true, false, false]);
    expect(new Set(signals).size).toBe(4);
  });
});

describe('when the feed ends', () => {
  test('because the chain cannot be told block by block the streams end so, and can be opened again', async () => {
    const { live, service, chain, feed, answered } = await world();
    const clients = [subscribeTo(live.wizardUpdates(null)), subscribeTo(live.duelUpdates({}))];
    await until(() => answered() === 2);
    service.taken();
    chain.reorg(39, 45);
    expect((await Promise.all(clients.map((client) => client.end()))).map((end) => end === true || end.code)).toEqual([
      'GAP_TOO_LARGE',
      'GAP_TOO_LARGE',
    ]);
    const again = subscribeTo(live.wizardUpdates(null));
    await until(() => answered() === 3);
    service.wizards[0] = wizardOf(1, { power: '1' });
    chain.mine();
    await again.has(1);
    expect([wizardsIn(again), again.events[0]!.block, service.taken().length]).toEqual([['1'], feed.head!.hash, 2]);
  });

  test('for good the streams end so, and so does whoever comes later', async () => {
    const { live, feed, answered } = await world();
    const client = subscribeTo(live.duelUpdates({}));
    await until(() => answered() === 1);
    await feed.stop();
    const late = subscribeTo(live.duelUpdates({}));
    const ends = await Promise.all([client.end(), late.end()]);
    expect(ends.map((end) => end instanceof GraphError && end.code)).toEqual(['SHUTTING_DOWN', 'SHUTTING_DOWN']);
  });
});

describe('a list that is larger than a response may be', () => {
  test('ends the streams with RESULT_TOO_LARGE, those that come later as well, and those of the other list go on', async () => {
    const { live, service, look, answered } = await world(10_000);
    const wizards = subscribeTo(live.wizardUpdates(null));
    const duels = subscribeTo(live.duelUpdates({}));
    await until(() => answered() === 2);
    service.duels = Array.from({ length: 40 }, (_none, n) => duelOf(n));
    await look(2);
    const ends = [await duels.end(), await subscribeTo(live.duelUpdates({})).end()];
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
    service.wizards[0] = wizardOf(1, { power: '1' });
    await look();
    await wizards.has(1);
    expect(wizardsIn(wizards)).toEqual(['1']);
  });
});

describe('a list of more than 2,000 duels', () => {
  const COUNT = 2_100;
  const many = () => Array.from({ length: COUNT }, (_none, n) => duelOf(n + 1, { startBlock: 1, endBlock: 2 }));
  const shortened = (paths: readonly string[]) => paths.map((path) => path.replace(/=\d+$/, '=n'));

  async function longWorld() {
    const all = await world();
    all.service.duels = [...many(), duelOf(COUNT + 1, IN_PROGRESS)];
    const client = subscribeTo(all.live.duelUpdates({}));
    await until(() => all.answered() === 1);
    expect(all.service.taken()).toEqual(['/duels']);
    return { ...all, client };
  }

  test('is read whole once, and then only what is in progress and what has ended', async () => {
    const { service, look, client, chain } = await longWorld();
    const last = service.duels[COUNT];
    service.duels[COUNT] = duelOf(COUNT + 1, { endBlock: Number(chain.head.header.number) + 1 });
    service.duels.push(duelOf(COUNT + 2, IN_PROGRESS));
    await look(2);
    await client.has(2);
    expect(duelsIn(client)).toEqual([service.duels[COUNT].id, service.duels[COUNT + 1].id]);
    expect(shortened(service.taken())).toEqual(['/duels?excludeFinished=true', '/duels?endBlockFrom=n']);
    // A reorg takes the end and the beginning back; what vanishes is not told, and is new when it comes again.
    const [finished, begun] = service.duels.splice(COUNT, 2, last);
    await look(2);
    await client.has(3);
    service.duels.splice(COUNT, 1, finished, begun);
    await look(2);
    await client.has(5);
    expect(duelsIn(client).slice(2)).toEqual([last.id, finished.id, begun.id]);
    expect(client.events.map(({ root }) => root.duelUpdates.endBlockNumber === null)).toEqual([false, true, true, false, true]);
  });

  test('is read whole again after 100 heads, with what has changed of old duels since', async () => {
    const { service, rest } = await world();
    service.duels = many();
    let height = 1_000;
    const reader = (signal: AbortSignal) => openReader({ rest, kept: new Kept() }, { operation: { signal, isVolatile: true } });
    const list = openDuelList(reader, () => height++);
    const powers = async () => {
      const duels = (await list(new AbortController().signal)) as readonly Duel[];
      return [duels.length, duels[5]!.endPower1];
    };
    expect([await powers(), service.taken()]).toEqual([[COUNT, '130'], ['/duels']]);
    service.duels[5] = { ...service.duels[5], endPower1: '7' };
    for (let head = 0; head < 100; head++) expect(await powers()).toEqual([COUNT, '130']);
    const paths = service.taken();
    expect([paths.length, paths.slice(0, 2)]).toEqual([200, ['/duels?excludeFinished=true', '/duels?endBlockFrom=744']]);
    expect([await powers(), service.taken()]).toEqual([[COUNT, '7'], ['/duels']]);
  });

  test.each([
    ['ignores the filters', (service: ScriptedWizards) => ({ body: { duels: service.duels } })],
    ['refuses the filters', () => ({ status: 400, body: {} })],
    ['does not have the filters', () => ({ status: 404, body: {} })],
  ])('is read whole for each head where the service %s', async (_how, answer) => {
    const { service, move, client } = await longWorld();
    service.script = (path) => (path.includes('?') ? answer(service) : undefined);
    for (const n of [1, 2, 3]) {
      service.duels[n] = { ...service.duels[n], endPower1: '7' };
      await move(0, 1);
      await client.has(n);
    }
    expect(duelsIn(client)).toEqual([1, 2, 3].map((n) => service.duels[n].id));
    expect(service.taken()).toEqual(['/duels?excludeFinished=true', '/duels', '/duels', '/duels']);
  });
});

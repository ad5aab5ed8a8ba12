import { getEventListeners } from 'node:events';
import { expect, test } from '@jest/globals';
import { delay, delayBefore } from '../../../clients/js/src/backoff.ts';
import {
  follow,
  followResults,
  type GraphResult,
  HttpError,
  type Interruption,
  SubscriptionError,
} from '../../../clients/js/src/index.ts';
import { scriptedClient } from '../../support/clients/scripted-client.ts';
import { withMovedClock } from '../../support/clock.ts';

const QUERY = 'subscription ($after: String) { logs(after: $after) { cursor } }';
const log = (cursor: string): GraphResult => ({ data: { logs: { cursor } } });
const failed = (extensions: Record<string, unknown>): GraphResult => ({
  data: null,
  errors: [{ message: 'failed', extensions }],
});
const errors = (code: string, retryable: boolean) => [{ message: code, extensions: { code, retryable } }];

const FAST = { firstMs: 1, maxMs: 1 };

async function play(scripts: unknown[][], options: object = {}) {
  const { client, variables } = scriptedClient(...scripts);
  const events: unknown[] = [];
  const interruptions: Interruption[] = [];
  let error: any;
  try {
    for await (const data of follow(client, {
      query: QUERY,
      backoff: FAST,
      onInterruption: (interruption) => interruptions.push(interruption),
      ...options,
    }))
      events.push(Object.values(data)[0]);
  } catch (thrown) {
    error = thrown;
  }
  return { events, variables, interruptions, error };
}

test('follow resumes after the last event and ends with the subscription', async () => {
  const { events, variables, interruptions, error } = await play([[log('a'), log('b')], [], [log('c'), 'complete']]);
  expect(events).toEqual([{ cursor: 'a' }, { cursor: 'b' }, { cursor: 'c' }]);
  expect(variables).toEqual([{}, { after: 'b' }, { after: 'b' }]);
  expect(interruptions.map(({ attempt, isLossless }) => [attempt, isLossless])).toEqual([
    [1, true],
    [2, true],
  ]);
  expect(error).toBeUndefined();
});

test.each(['fromBlock', 'stream'])(
  'follow begins with `%s` again, without a loss, if its first event has failed',
  async (name) => {
    const variables = { [name]: '0x5' };
    const { events, interruptions, ...played } = await play(
      [[], [failed({ code: 'UPSTREAM_TIMEOUT', retryable: true, cursor: 'a' })], [log('a'), 'complete']],
      { variables },
    );
    expect([events, played.variables]).toEqual([[{ cursor: 'a' }], [variables, variables, variables]]);
    expect(interruptions).toMatchObject([{ isLossless: true }, { isLossless: true }]);
  },
);

test('follow reports that events may be missing before the first event, and without a cursor', async () => {
  const before = await play([[], ['complete']]);
  expect(before.interruptions).toEqual([expect.objectContaining({ isLossless: false })]);
  const without = await play([[{ data: { reorgs: { depth: 1 } } }], ['complete']], {
    query: 'subscription { reorgs { depth } }',
  });
  expect(without.variables).toEqual([{}, {}]);
  expect(without.interruptions).toEqual([expect.objectContaining({ isLossless: false })]);
});

test('follow starts after a given cursor', async () => {
  expect((await play([['complete']], { after: 'x', variables: { filter: {} } })).variables).toEqual([{ filter: {}, after: 'x' }]);
});

test('follow passes the chain to each subscription, and throws where the subscription does not take it', async () => {
  const query = 'subscription ($after: Bytes32, $chainId: ChainId) { newHeads(after: $after, chainId: $chainId) { hash } }';
  const { variables } = await play([[{ data: { newHeads: { hash: 'a' } } }], ['complete']], { query, chain: 5 });
  expect(variables).toEqual([{ chainId: 5 }, { chainId: 5, after: 'a' }]);
  const without = await play([[log('a')]], { chain: 5 });
  expect(without).toMatchObject({
    events: [],
    variables: [],
    error: { message: expect.stringContaining('Declare `$chainId: ChainId`') },
  });
});

test.each([
  ['an expired cursor', errors('CURSOR_EXPIRED', false)],
  ['an invalid operation', errors('GRAPHQL_VALIDATION_FAILED', false)],
  ['errors without a code', [{ message: 'Cannot query field' }]],
])('follow throws %s as a SubscriptionError', async (_case, ending) => {
  const { events, error, interruptions } = await play([[log('a'), ending]]);
  expect(events).toHaveLength(1);
  expect(error).toBeInstanceOf(SubscriptionError);
  expect(error.errors).toEqual(ending);
  expect(interruptions).toEqual([]);
});

test.each([4400, 4401, 4403, 4406, 4409])('follow throws the close event with code %d', async (code) => {
  expect((await play([[{ code, reason: 'refused' }]])).error).toEqual({ code, reason: 'refused' });
});

test.each([
  ['SLOW_CONSUMER', errors('SLOW_CONSUMER', true)],
  ['a restart', { code: 1012 }],
  ['an overloaded server', new HttpError(503)],
  ['an internal error', { code: 4500 }],
])('follow resumes after %s', async (_case, ending) => {
  const { events, error } = await play([
    [log('a'), ending],
    [log('b'), 'complete'],
  ]);
  expect(events).toEqual([{ cursor: 'a' }, { cursor: 'b' }]);
  expect(error).toBeUndefined();
});

test('`shouldResume` decides after which errors follow resumes', async () => {
  const ending = errors('UNAUTHENTICATED', false);
  const { events } = await play(
    [
      [log('a'), ending],
      [log('b'), 'complete'],
    ],
    {
      shouldResume: (error: unknown) => error instanceof SubscriptionError && error.code === 'UNAUTHENTICATED',
    },
  );
  expect(events).toHaveLength(2);
});

test('follow closes a subscription before it waits for the next attempt', async () => {
  const { client, returned } = scriptedClient([log('a')]);
  const events = follow(client, { query: QUERY, backoff: { firstMs: 1e9, maxMs: 1e9 } });
  await events.next();
  const next = events.next();
  await new Promise(setImmediate);
  const returnedBefore = returned();
  await events.return?.();
  await next;
  expect(returnedBefore).toBe(1);
});

test('follow waits at least for the time in `retry-after`', async () => {
  const { interruptions } = await play([[log('a'), new HttpError(429, 30)], ['complete']]);
  expect(interruptions[0]!.delayMs).toBe(30);
});

test('follow throws the last error after `maxAttempts` failures in a row', async () => {
  const { interruptions, error } = await play([[log('a')], [log('b')], [], []], { maxAttempts: 2 });
  expect(interruptions.map(({ attempt }) => attempt)).toEqual([1, 1, 2]);
  expect(error).toEqual(new Error('connection lost'));
});

test('follow reads a failed event again from the cursor before it, three times', async () => {
  const retryable = failed({ code: 'UPSTREAM_TIMEOUT', retryable: true, cursor: 'b' });
  const recovered = await play([[log('a'), retryable], [retryable], [log('b'), 'complete']]);
  expect(recovered.events).toEqual([{ cursor: 'a' }, { cursor: 'b' }]);
  expect(recovered.variables).toEqual([{}, { after: 'a' }, { after: 'a' }]);
  const persistent = await play([[log('a'), retryable], [retryable], [retryable], [retryable]]);
  expect(persistent.error).toBeInstanceOf(SubscriptionError);
  expect(persistent.variables).toHaveLength(4);
});

test('followResults yields a failed event and continues after it', async () => {
  const { client, variables } = scriptedClient([log('a'), failed({ retryable: false, cursor: 'b' })], ['complete']);
  const results: unknown[] = [];
  for await (const result of followResults(client, { query: QUERY, backoff: FAST })) results.push(result);
  expect(results).toEqual([log('a'), failed({ retryable: false, cursor: 'b' })]);
  expect(variables).toEqual([{}, { after: 'b' }]);
});

test.each([
  ['newHeads', { newHeads: { hash: '0x1' } }],
  ['webhookEvents', { webhookEvents: { id: '0x1' } }],
  ['an alias with a cursor', { transfers: { cursor: '0x1' } }],
])('follow finds the cursor of %s', async (_case, data) => {
  expect((await play([[{ data }], ['complete']])).variables).toEqual([{}, { after: '0x1' }]);
});

test('follow takes the cursor from `cursorOf`', async () => {
  const { variables } = await play([[{ data: { head: { id: 7 } } }], ['complete']], {
    cursorOf: ({ head }: { head: { id: number } }) => `head-${head.id}`,
  });
  expect(variables).toEqual([{}, { after: 'head-7' }]);
});

test('follow throws when the cursor is not selected, and rethrows errors of `cursorOf`', async () => {
  const missing = await play([[{ data: { logs: { data: '0x' } } }]]);
  expect(missing.error.message).toContain('The event has no cursor');
  const broken = await play([[log('a')]], {
    cursorOf: () => {
      throw new TypeError('mistake');
    },
  });
  expect(broken.error).toEqual(new TypeError('mistake'));
});

test('follow ends when its signal aborts or its iterator returns, during a wait or a delay', async () => {
  const control = new AbortController();
  const silent = scriptedClient();
  const events = follow(silent.client, { query: QUERY, signal: control.signal });
  const next = events.next();
  // Two turns, until the document is read.
  await new Promise(setImmediate);
  control.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(silent.returned()).toBe(1);

  const waiting = scriptedClient([]);
  const resuming = follow(waiting.client, { query: QUERY, backoff: { firstMs: 1e9, maxMs: 1e9 } });
  const pending = resuming.next();
  await new Promise(setImmediate);
  await resuming.return?.();
  expect(await pending).toEqual({ done: true, value: undefined });

  expect(await follow(silent.client, { query: QUERY, signal: AbortSignal.abort() }).next()).toEqual({ done: true });
});

test('follow closes the subscription when the caller stops iterating', async () => {
  const { client, returned } = scriptedClient([log('a'), log('b')]);
  for await (const _event of follow(client, { query: QUERY })) break;
  expect(returned()).toBe(1);
});

test('delays are distributed between 0 and a limit that doubles up to its maximum', () => {
  const limits = [0, 1, 2, 6, 60].map((attempt) => delayBefore(attempt, {}, () => 1));
  expect(limits).toEqual([250, 500, 1000, 10_000, 10_000]);
  expect(delayBefore(3, { firstMs: 10, maxMs: 1000 }, () => 0)).toBe(0);
  expect(delayBefore(3, { firstMs: 10, maxMs: 1000 }, () => 0.5)).toBe(40);
});

test('a delay ends with its signal', async () => {
  const control = new AbortController();
  const waiting = delay(1e8, control.signal);
  control.abort();
  await waiting;
  await delay(1e8, control.signal);
  await delay(1, new AbortController().signal);
});

test('a subscription that ends leaves no listener on the signal of its caller', async () => {
  const { signal } = new AbortController();
  for (const end of ['complete', [{ message: 'failed', extensions: { retryable: false } }]]) {
    const { client } = scriptedClient([log('a'), end]);
    const reading = (async () => {
      for await (const _event of follow(client, { query: QUERY, signal }));
    })();
    await (end === 'complete' ? reading : expect(reading).rejects.toThrow(SubscriptionError));
  }
  void follow(scriptedClient([]).client, { query: QUERY, signal }).return?.();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('an object that does not exist is the result of a live query, not a failure', async () => {
  const results = [{ data: { transaction: null } }, { data: { transaction: { status: '0x1' } } }];
  const { client } = scriptedClient([...results, 'complete']);
  const followed: unknown[] = [];
  for await (const data of follow(client, { query: 'query @live { transaction(hash: "0x1") { status } }' })) followed.push(data);
  expect(followed).toEqual(results.map(({ data }) => data));
});

test('follow subscribes again to a live query whose execution has failed with a retryable error', async () => {
  const query = 'query @live { account(address: "0x01") { balance } }';
  const result = (balance: string) => ({ data: { account: { balance } } });
  const timeout = { data: { account: null }, errors: errors('UPSTREAM_TIMEOUT', true) };
  const { events, error } = await play(
    [
      [result('0x1'), timeout],
      [result('0x2'), 'complete'],
    ],
    { query },
  );
  expect([events, error]).toEqual([[{ balance: '0x1' }, { balance: '0x2' }], undefined]);
});

test('a live query may have the variable `$after` of a page', async () => {
  const query = 'query ($after: String) @live { wizards(first: 1, after: $after) { nodes { id } } }';
  const page = { wizards: { nodes: [{ id: '1' }] } };
  const { events, error } = await play([[{ data: page }, 'complete']], { query, variables: { after: 'x' } });
  expect([events, error]).toEqual([[page.wizards], undefined]);
});

test('a subscription without events that is lost from time to time has no failed attempts in a row', () =>
  withMovedClock(async (moveTo) => {
    let subscriptions = 0;
    const iterator: any = {
      async next() {
        subscriptions += 1;
        if (subscriptions === 7) return { done: true };
        moveTo(subscriptions * 600_000);
        throw new Error('connection lost');
      },
      return: async () => ({ done: true }),
    };
    const interruptions: Interruption[] = [];
    const onInterruption = (interruption: Interruption) => void interruptions.push(interruption);
    const options = { query: QUERY, maxAttempts: 3, backoff: { firstMs: 1, maxMs: 1 }, onInterruption };
    expect(await follow({ iterate: () => iterator }, options).next()).toEqual({ done: true, value: undefined });
    expect(interruptions.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(subscriptions).toBe(7);
  }));

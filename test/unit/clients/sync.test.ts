import { expect, test } from '@jest/globals';
import { HttpError, type Interruption } from '../../../clients/js/src/index.ts';
import { PositionConflictError, type SyncPage, type SyncStore, sync, syncDocument } from '../../../clients/js/src/sync.ts';
import { isTransientPostgresError } from '../../../clients/js/src/sync-postgres.ts';
import { scriptedClient } from '../../support/clients/scripted-client.ts';

interface Log {
  readonly id: string;
  readonly removed: boolean;
}

const page = (cursor: string, ids: readonly string[] = [], removed = false) => ({
  data: { logPages: { cursor, searchedTo: '0x10', nodes: ids.map((id) => ({ id, removed })) } },
});
const errorsOf = (code: string, retryable: boolean) => [{ message: code, extensions: { code, retryable } }];

/** A store in memory that can undo its pages, and fails before or after the commit of a page as scripted. */
function createStore(position?: string) {
  const pages: SyncPage<Log>[] = [];
  const failures: ('before' | 'after' | undefined)[] = [];
  const state = { position, logs: [] as string[], pages, failures, canRollBack: true };
  const store: SyncStore<Log> = {
    position: async () => state.position,
    async apply(next) {
      const failure = failures.shift();
      if (failure === 'before') throw new Error('store lost');
      if (next.after !== state.position) throw new PositionConflictError();
      for (const { id } of next.removed) expect(state.logs.pop()).toBe(id);
      state.logs.push(...next.added.map(({ id }) => id));
      state.position = next.cursor;
      pages.push(next);
      if (failure === 'after') throw new Error('store lost');
    },
    async rollback() {
      const last = pages.pop();
      if (!last || !state.canRollBack) return false;
      state.logs.splice(
        state.logs.length - last.added.length,
        last.added.length,
        ...last.removed.toReversed().map(({ id }) => id),
      );
      state.position = last.after;
      return true;
    },
    isRetryable: (error) => (error as Error).message === 'store lost',
  };
  return Object.assign(state, { store });
}

const FAST = { firstMs: 1, maxMs: 1 };

/** Plays one script for each subscription; ends after the last one. */
async function play(state: ReturnType<typeof createStore>, scripts: unknown[][], options: object = {}) {
  const { client, variables, queries } = scriptedClient(...scripts);
  const interruptions: Interruption[] = [];
  const onInterruption = (interruption: Interruption) => interruptions.push(interruption);
  const error = await sync<Log>({
    ...{ client, store: state.store, logs: { fields: 'id' }, from: 7n, backoff: FAST, onInterruption },
    ...options,
  }).then(
    () => undefined,
    (reason) => reason,
  );
  return { error, variables, queries, interruptions };
}

test('sync applies pages with the positions before and after them, and resumes after the position of the store', async () => {
  const state = createStore();
  const filter = { addresses: ['0x01'] };
  const logs = { fields: 'id', filter };
  const first = await play(
    state,
    [
      [page('a', ['1', '2']), page('b')],
      [page('c', ['3']), page('d', ['3'], true), 'complete'],
    ],
    {
      logs,
    },
  );
  expect(first.variables).toEqual([
    { fromBlock: '0x7', filter },
    { fromBlock: '0x7', filter, after: 'b' },
  ]);
  expect(first.queries[0]).toBe(syncDocument('id'));
  expect(state.pages).toEqual([
    { added: page('a', ['1', '2']).data.logPages.nodes, removed: [], after: undefined, cursor: 'a', searchedTo: 16 },
    { added: [], removed: [], after: 'a', cursor: 'b', searchedTo: 16 },
    { added: [{ id: '3', removed: false }], removed: [], after: 'b', cursor: 'c', searchedTo: 16 },
    { added: [], removed: [{ id: '3', removed: true }], after: 'c', cursor: 'd', searchedTo: 16 },
  ]);
  expect(state.logs).toEqual(['1', '2']);
  const second = await play(state, [['complete']], { from: undefined });
  expect(second.variables).toEqual([{ after: 'd' }]);
});

test('sync applies a page once whether its commit failed or only its response was lost', async () => {
  const state = createStore();
  state.failures.push('before', undefined, 'after');
  const { error, variables, interruptions } = await play(state, [
    [page('a', ['1'])],
    [page('a', ['1']), page('b', ['2'])],
    [page('c', ['3']), 'complete'],
  ]);
  expect(error).toBeUndefined();
  expect(state.logs).toEqual(['1', '2', '3']);
  expect(variables).toMatchObject([{}, {}, { after: 'b' }]);
  expect(interruptions.map((each) => [(each.error as Error).message, each.isLossless])).toEqual([
    ['store lost', true],
    ['store lost', true],
  ]);
});

test('sync continues from the new position after each conflict with another process, however many', async () => {
  const state = createStore();
  const { apply } = state.store;
  state.store.apply = async (next) => {
    await apply(next);
    if (next.cursor < 'd') throw new PositionConflictError();
  };
  const scripts = [[page('a', ['1'])], [page('b', ['2'])], [page('c', ['3'])], [page('d', ['4']), 'complete']];
  const { error, variables } = await play(state, scripts, { maxAttempts: 2 });
  expect(error).toBeUndefined();
  expect(variables).toMatchObject([{}, { after: 'a' }, { after: 'b' }, { after: 'c' }]);
  expect(state.logs).toEqual(['1', '2', '3', '4']);
});

test('sync undoes one page, then two, four, … of a store until the server has the block of its position', async () => {
  const state = createStore();
  const expired = errorsOf('CURSOR_EXPIRED', false);
  const { error, variables, interruptions } = await play(state, [
    [...['1', '2', '3', '4', '5'].map((id) => page(id, [id])), expired],
    [expired],
    [page('6', ['6']), expired],
    [expired],
    [page('7', ['7']), 'complete'],
  ]);
  expect(variables).toMatchObject([{}, { after: '4' }, { after: '2' }, { after: '2' }, {}]);
  expect(interruptions).toMatchObject([{ error: { code: 'CURSOR_EXPIRED' }, delayMs: 0 }, {}, {}, {}]);
  expect({ error, logs: state.logs }).toEqual({ error: undefined, logs: ['7'] });
  state.canRollBack = false;
  expect((await play(state, [[expired]])).error).toMatchObject({ code: 'CURSOR_EXPIRED' });
});

test('sync stores no page whose fields have failed, and reads it again if the error is retryable', async () => {
  const state = createStore();
  const partial = (retryable: boolean) => ({ ...page('b', ['2']), errors: errorsOf('TIMEOUT', retryable) });
  const retried = await play(state, [
    [page('a', ['1']), partial(true)],
    [page('b', ['2']), 'complete'],
  ]);
  expect(retried.error).toBeUndefined();
  expect(retried.variables).toMatchObject([{}, { after: 'a' }]);
  const failed = await play(state, [[partial(false)]]);
  expect(failed.error).toMatchObject({ name: 'SubscriptionError', code: 'TIMEOUT' });
  expect(state.logs).toEqual(['1', '2']);
  const limited = await play(state, [[partial(true)], [partial(true)], [partial(true)]], { maxAttempts: 2 });
  expect(limited.error).toMatchObject({ code: 'TIMEOUT' });
});

test('sync throws errors that would recur', async () => {
  const state = createStore();
  expect((await play(state, [[new HttpError(401)]])).error).toMatchObject({ status: 401 });
  state.store.apply = () => Promise.reject(new Error('a mistake in write'));
  expect((await play(state, [[page('a')]])).error).toMatchObject({ message: 'a mistake in write' });
  const query = 'subscription ($after: String) { logPages(after: $after) { cursor nodes { id } } }';
  const unselected = { data: { logPages: { cursor: 'a', searchedTo: '0x1', nodes: [{ id: '1' }] } } };
  expect((await play(state, [[unselected]], { logs: { query } })).error.message).toContain('Select `cursor`, `searchedTo`');
});

test('sync resolves after the page that is being applied when its signal aborts', async () => {
  const state = createStore();
  const control = new AbortController();
  const { apply } = state.store;
  state.store.apply = async (next) => {
    control.abort();
    await apply(next);
  };
  const { error } = await play(state, [[page('a', ['1']), page('b', ['2'])]], { signal: control.signal });
  expect([error, state.position]).toEqual([undefined, 'a']);
  const waiting = new AbortController();
  const ended = play(state, [], { signal: waiting.signal });
  waiting.abort();
  expect((await ended).error).toBeUndefined();
});

test.each([
  [{ code: '57P01' }, true],
  [{ code: '08006' }, true],
  [{ code: 'ECONNREFUSED' }, true],
  [new Error('Connection terminated unexpectedly'), true],
  [{ code: '23505' }, false],
  [new TypeError('x is undefined'), false],
  [undefined, false],
])('isTransientPostgresError of %p is %p', (error, expected) => {
  expect(isTransientPostgresError(error)).toBe(expected);
});

test('without a first block, an expired first page ends the sync: the subscription would begin at the next block', async () => {
  const state = createStore();
  const { error } = await play(state, [[page('a', ['1']), errorsOf('CURSOR_EXPIRED', false)], [page('b', ['9'])]], {
    from: undefined,
  });
  expect(error).toMatchObject({ code: 'CURSOR_EXPIRED' });
  expect([state.logs, state.position]).toEqual([[], undefined]);
});

test('sync without a first block begins at the block of its first page again when the store fails', async () => {
  const state = createStore();
  state.failures.push('before');
  const { variables } = await play(state, [[page('a', ['1'])], [page('a', ['1']), 'complete']], { from: undefined });
  expect(variables).toEqual([{}, { fromBlock: 16 }]);
  expect(state.logs).toEqual(['1']);
});

test('sync removes no log from a store without a position: a reorg has removed blocks below the start', async () => {
  const state = createStore();
  const pages = [page('a', ['below'], true), page('b', ['1']), page('c', ['1'], true), page('d', ['2']), 'complete'];
  await play(state, [pages], { from: undefined });
  expect(state.pages.map(({ after }) => after)).toEqual([undefined, 'b', 'c']);
  expect(state.logs).toEqual(['2']);
});

test('sync without a first block reads a failed first page again', async () => {
  const state = createStore();
  const failed = { ...page('a', ['1']), errors: errorsOf('TIMEOUT', true) };
  const { error, variables } = await play(state, [[failed], [page('a', ['1']), 'complete']], { from: undefined });
  expect([error, variables]).toEqual([undefined, [{}, { fromBlock: 16 }]]);
  expect(state.logs).toEqual(['1']);
});

test('sync without a first block reports that a first page without data is missing', async () => {
  const failed = { data: null, errors: errorsOf('TIMEOUT', true) };
  const { variables, interruptions } = await play(createStore(), [[failed], [page('b', ['2']), 'complete']], { from: undefined });
  expect(variables).toEqual([{}, {}]);
  expect(interruptions).toMatchObject([{ isLossless: false }]);
});

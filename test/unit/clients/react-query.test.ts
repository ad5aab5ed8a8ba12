import { afterEach, expect, test } from '@jest/globals';
import { QueryClient, QueryClientProvider, QueryObserver } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import type { SubscriptionClient } from '../../../clients/js/src/index.ts';
import {
  headQuery,
  logsAfter,
  logsQuery,
  transactionQuery,
  useHead,
  useLogs,
  useTransaction,
} from '../../../clients/js/src/react-query.ts';
import { scriptedClient } from '../../support/clients/scripted-client.ts';
import { waitUntil } from '../../support/wait-until.ts';

const backoff = { firstMs: 1, maxMs: 1 };
const head = (hash: string) => ({ data: { newHeads: { hash, number: hash, timestamp: '0x1' } } });
const logs = (cursor: string, ids: readonly string[], removed = false) => ({
  data: { logPages: { cursor, nodes: ids.map((id) => ({ id, removed })) } },
});
const status = (name: string) => ({ data: { transactionStatus: { status: name } } });
const expired = [{ message: 'expired', extensions: { code: 'CURSOR_EXPIRED', retryable: false } }];

let cache = new QueryClient();
afterEach(() => {
  cache.clear();
  cache = new QueryClient();
});

/** Mounts a component that uses the query. */
function mount(options: { readonly queryKey: readonly unknown[] }) {
  const observer = new QueryObserver(cache, options as never);
  const unmount = observer.subscribe(() => {});
  return {
    result: () => observer.getCurrentResult() as { data?: unknown; error: any; status: string; fetchStatus: string },
    unmount,
  };
}

/** A client that also counts the open subscriptions. */
function countingClient(...scripts: unknown[][]) {
  const scripted = scriptedClient(...scripts);
  return { ...scripted, open: () => scripted.variables.length - scripted.returned() };
}

test('a hook of a chain subscribes to it, and two chains share nothing', async () => {
  const { client, variables } = countingClient([head('0x1')], [head('0x2')]);
  const queries = [10, 5].map((chain) => headQuery({ client, chain, backoff }));
  expect(queries[0]!.queryKey).not.toEqual(queries[1]!.queryKey);
  const mounted = queries.map(mount);
  await waitUntil(() => variables.length === 4, 'both have resumed');
  expect(variables.slice(0, 2)).toEqual([{ chainId: 10 }, { chainId: 5 }]);
  expect(variables.slice(2)).toEqual(
    expect.arrayContaining([
      { chainId: 10, after: '0x1' },
      { chainId: 5, after: '0x2' },
    ]),
  );
  for (const { unmount } of mounted) unmount();
});

test('components with the same key share one subscription, which ends with the last of them', async () => {
  const { client, variables, open } = countingClient([head('0x1'), head('0x2'), new Error('lost')]);
  const options = { client, backoff };
  const [first, second] = [mount(headQuery(options)), mount(headQuery(options))];
  expect(first.result()).toMatchObject({ status: 'pending', fetchStatus: 'fetching' });
  await waitUntil(() => variables.length === 2, 'the subscription has resumed');
  expect(variables).toEqual([{}, { after: '0x2' }]);
  for (const { result } of [first, second])
    expect(result()).toMatchObject({ status: 'success', data: { hash: '0x2', number: '0x2' }, fetchStatus: 'fetching' });
  first.unmount();
  await new Promise(setImmediate);
  expect(open()).toBe(1);
  second.unmount();
  await waitUntil(() => open() === 0, 'the subscription has ended');
  expect(cache.getQueryData(headQuery(options).queryKey)).toMatchObject({ cursor: '0x2' });
  // Mounted again, as a page that the user returns to.
  const third = mount(headQuery(options));
  expect(third.result()).toMatchObject({ status: 'success', data: { hash: '0x2' } });
  await waitUntil(() => variables.length === 3, 'the subscription has resumed');
  expect(variables[2]).toEqual({ after: '0x2' });
  third.unmount();
});

test('a component that unmounts and mounts at once, as in strict mode, keeps its subscription', async () => {
  const { client, open } = countingClient([], []);
  const options = headQuery({ client, backoff: { firstMs: 1e6, maxMs: 1e6 } });
  mount(options).unmount();
  const { result, unmount } = mount(options);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(result()).toMatchObject({ status: 'pending', fetchStatus: 'fetching' });
  unmount();
  await waitUntil(() => open() === 0, 'the subscriptions have ended');
  expect(result()).toMatchObject({ status: 'pending', error: null });
});

test('the query of logs adds and removes logs, and restarts when its cursor has expired', async () => {
  const filter = { topics: [['0xab']] };
  const { client, variables, queries } = countingClient(
    [logs('a', ['1', '2']), logs('b', ['3']), logs('c', ['3', '2'], true), logs('d', ['4']), new Error('lost')],
    [expired],
    [logs('e', ['5'])],
  );
  const interrupted: unknown[] = [];
  const key = { client, filter, fromBlock: 4, fields: 'index', backoff };
  const idsInCache = () => cache.getQueryData(logsQuery(key).queryKey)?.value.map(({ id }) => id);
  const { result, unmount } = mount(logsQuery({ ...key, onInterruption: () => interrupted.push(idsInCache()) }));
  await waitUntil(() => idsInCache()?.join() === '5', 'the subscription has restarted');
  expect(result()).toMatchObject({ data: [{ id: '5' }] });
  unmount();
  expect(interrupted[0]).toEqual(['1', '4']);
  expect(variables.slice(0, 3)).toEqual([
    { fromBlock: 4, filter },
    { fromBlock: 4, filter, after: 'd' },
    { fromBlock: 4, filter },
  ]);
  expect(queries[0]).toContain('nodes { id removed index }');
});

test('logsAfter keeps the newest logs up to the limit', () => {
  const added = ['1', '2', '3'].map((id) => ({ id, removed: false }));
  expect(logsAfter([], added, 2).map(({ id }) => id)).toEqual(['2', '3']);
  const removed = ['3', '2', '1'].map((id) => ({ id, removed: true }));
  expect(logsAfter(added.slice(1), removed, 2)).toEqual([]);
  expect(logsAfter(added, [], 2)).toBe(added);
});

test('the query of a transaction ends with its final status and does not subscribe again', async () => {
  const { client, variables } = countingClient([status('PENDING'), status('CONFIRMED'), 'complete']);
  const options = transactionQuery({ client, hash: '0xab', confirmations: 3, backoff });
  const { result, unmount } = mount(options);
  await waitUntil(() => result().fetchStatus === 'idle', 'the subscription has ended');
  expect(result()).toMatchObject({ status: 'success', data: { status: 'CONFIRMED' } });
  unmount();
  const again = mount(options);
  expect(again.result()).toMatchObject({ data: { status: 'CONFIRMED' }, fetchStatus: 'idle' });
  again.unmount();
  expect(variables).toEqual([{ hash: '0xab', confirmations: 3 }]);
});

test('a final error is the error of the query, and refetch subscribes again', async () => {
  const refused = [{ message: 'refused', extensions: { code: 'TOO_MANY_SUBSCRIPTIONS', retryable: false } }];
  const { client, variables, open } = countingClient([refused], [head('0x1')]);
  const observer = new QueryObserver(cache, headQuery({ client, backoff, scope: 'other' }));
  const unsubscribe = observer.subscribe(() => {});
  await waitUntil(() => observer.getCurrentResult().isError, 'the query has failed');
  expect(observer.getCurrentResult().error).toMatchObject({ name: 'SubscriptionError', code: 'TOO_MANY_SUBSCRIPTIONS' });
  void observer.refetch();
  await waitUntil(() => observer.getCurrentResult().isSuccess, 'the query has data');
  void observer.refetch();
  await waitUntil(() => variables.length >= 3 && open() === 1, 'a new subscription has replaced the earlier one');
  expect(variables[2]).toEqual({ after: '0x1' });
  unsubscribe();
});

test('hooks render the state of their query, and subscribe to nothing on a server', () => {
  const iterate = () => expect('a subscription').toBe('not started');
  const client = { iterate } as unknown as SubscriptionClient;
  cache.setQueryData(headQuery({ client }).queryKey, {
    value: { hash: '0x1', number: '0x1', timestamp: '0x1' },
    cursor: '0x1',
    hasEnded: false,
  });
  function Page() {
    const [newest, all, transaction] = [
      useHead({ client }),
      useLogs({ client }),
      useTransaction({ client, hash: '0xab', enabled: false }),
    ];
    return `${newest.data?.number} ${all.status} ${transaction.fetchStatus}`;
  }
  const element = createElement(QueryClientProvider, { client: cache }, createElement(Page));
  expect(renderToString(element)).toBe('0x1 pending idle');
});

test('a limit of 0 retains no logs', () => {
  const log = (id: string) => ({ id, removed: false });
  expect(logsAfter([log('a')], [log('b')], 0)).toEqual([]);
});

import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { launchBrowser } from '../../support/clients/browser.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { startTestServer } from '../../support/test-server.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** The hooks of React Query in a browser, in strict mode, on a page of another origin than the server. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CLIENT = join(ROOT, 'clients/js/src');

const PAGE = `
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createEventStreamClient } from '${CLIENT}/index.ts';
import { useHead, useLogs, useTransaction } from '${CLIENT}/react-query.ts';

const parameters = new URLSearchParams(location.search);
const counts = { started: 0, open: 0 };
const events = createEventStreamClient({ url: parameters.get('graph') });
const client = {
  iterate(request) {
    counts.started += 1;
    counts.open += 1;
    const iterator = events.iterate(request);
    return { ...iterator, return: () => { counts.open -= 1; return iterator.return(); } };
  },
};
globalThis.counts = counts;

function Live({ name }) {
  const head = useHead({ client });
  const logs = useLogs({ client, fromBlock: 0, fields: 'blockNumber index' });
  const transaction = useTransaction({ client, hash: parameters.get('hash') });
  const state = { head: head.data && Number(head.data.number), logs: logs.data?.map(({ id }) => id), status: transaction.data?.status };
  return createElement('output', { id: name }, JSON.stringify(state));
}

function Page() {
  const [isShown, show] = useState(true);
  const toggle = createElement('button', { onClick: () => show(!isShown) }, 'toggle');
  return createElement('main', null, toggle, isShown && [createElement(Live, { name: 'one', key: 1 }), createElement(Live, { name: 'two', key: 2 })]);
}

const page = createElement(QueryClientProvider, { client: new QueryClient() }, createElement(Page));
createRoot(document.getElementById('root')).render(createElement(StrictMode, null, page));
`;

/** Bundles the page with React of development mode, in which strict mode mounts each component twice. */
function bundlePage(): string {
  const folder = createTemporaryFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'page.js'), PAGE);
  const options = {
    root: folder,
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"development"' },
    build: {
      lib: { entry: 'page.js', formats: ['es'], fileName: 'bundle' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  };
  const program = `import { build } from 'vite'; await build(${JSON.stringify(options)});`;
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT });
  return readFileSync(join(folder, 'dist/bundle.mjs'), 'utf8');
}

test('hooks of a page show the head, the logs of the chain and a transaction over one subscription each, and resume', async () => {
  const script = bundlePage();
  const pages = await startTestServer(
    createServer((request, response) => {
      const isScript = request.url === '/page.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
      response.end(isScript ? script : '<!doctype html><div id="root"></div><script type="module" src="/page.js"></script>');
    }),
  );
  const [graph, browser] = await Promise.all([startGraph({ DEVNET_BLOCK_TIME: '0.5' }), launchBrowser()]);
  const { landmarks } = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  const parameters = new URLSearchParams({ graph: `${graph.url}/graphql`, hash: landmarks.tokenTransfer });
  await page.goto(`${pages.url}/?${parameters}`);
  const stateOf = async (name: string) => JSON.parse((await page.locator(`#${name}`).textContent())!);
  const counts = () => page.evaluate(() => (globalThis as any).counts as { started: number; open: number });

  const showsAll = async () => {
    const { head, logs, status } = await stateOf('one');
    return head > 0 && logs?.length > 0 && status === 'CONFIRMED';
  };
  await waitUntil(showsAll, 'the page shows a head, logs and the transaction');
  // The transaction is final: its subscription has ended. Strict mode has started each subscription at most twice.
  await waitUntil(async () => (await counts()).open === 2, 'two subscriptions are open');
  expect((await counts()).started).toBeLessThanOrEqual(6);
  const first = await stateOf('one');
  await waitUntil(async () => (await stateOf('one')).head >= first.head + 2, 'the head moves');

  await page.locator('button').click();
  await waitUntil(async () => (await counts()).open === 0, 'the subscriptions end with the last component');
  const { started } = await counts();
  await page.locator('button').click();
  await waitUntil(async () => (await counts()).open === 2, 'the subscriptions resume');
  expect((await counts()).started - started).toBeLessThanOrEqual(4);

  const hasLogsOfChain = async () => {
    const { data } = await graph.execute('{ logs(filter: { fromBlock: 0 }) { id } }');
    const ids = data.logs.map(({ id }) => id).slice(-1000);
    const [one, two] = [await stateOf('one'), await stateOf('two')];
    return [one.logs, two.logs].every((logs) => JSON.stringify(logs) === JSON.stringify(ids));
  };
  await waitUntil(hasLogsOfChain, 'both components show the logs of the chain');
  expect(errors).toEqual([]);
});

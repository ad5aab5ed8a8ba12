import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { DevnetDescription } from '../../src/devnet/index.ts';
import { launchBrowser } from '../support/clients/browser.ts';
import { rpc } from '../support/graph/devnet-setup.ts';
import { type RunningGraph, startGraph } from '../support/graph/running-graph.ts';
import { waitUntil } from '../support/wait-until.ts';

/** One graph, one browser and one page per subject for all tests: their starts cost more than the tests. */
let graph: RunningGraph;
let devnet: DevnetDescription;
let browser: Browser;
/** Errors of the pages that `openPage` opened. */
const pageErrors: string[] = [];

beforeAll(async () => {
  [graph, browser] = await Promise.all([startGraph({ DEVNET_BLOCK_TIME: '1' }), launchBrowser()]);
  devnet = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
});

afterAll(async () => {
  await browser?.close();
  await graph?.stop();
});

// No test may cause a request to another origin, a violation of the content policy or a console error.
afterEach(() => expect(pageErrors.splice(0)).toEqual([]));

/** Opens a page of the graph in a new browser context and collects its errors. */
async function openPage(path: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  // Shorter than jest's timeout, so that a failure names the step.
  page.setDefaultTimeout(60_000);
  const { host } = new URL(graph.url);
  const checkHost = (url: string) => {
    if (/^(https?|wss?):/.test(url) && new URL(url).host !== host) pageErrors.push(`request to ${url}`);
  };
  context.on('request', (request) => checkHost(request.url()));
  page.on('websocket', (socket) => checkHost(socket.url()));
  page.on('pageerror', (error) => pageErrors.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) pageErrors.push(`${message.type()}: ${message.text()}`);
  });
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))",
  );
  await page.goto(new URL(path, graph.url).href);
  return page;
}

describe('playground', () => {
  const folder = new URL('../../examples/', import.meta.url);
  const examples = readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(name, folder), 'utf8');
      return {
        name,
        text,
        title: /^#\s*(.+)$/m.exec(text)![1]!,
        operation: /^(?:query|mutation|subscription)\s+(\w+)/m.exec(text)![1]!,
      };
    });
  const first = examples[0]!;

  /** Globals of the page that the tests read. */
  interface Inside {
    readonly localStorage: { getItem(key: string): string | null };
    readonly __MONACO: {
      editor: { getModels(): { uri: { path: string }; getValue(): string; setValue(text: string): void }[] };
    };
  }

  let page: Page;

  beforeAll(async () => {
    page = await openPage('/', 'dark');
    await editorShows(`# ${first.title}`);
  });

  afterAll(() => page?.context().close());

  const editorShows = (text: string) => page.locator('.graphiql-query-editor .view-line', { hasText: text }).first().waitFor();

  /** GraphiQL parses a new text with a delay, and stores it when done. */
  const waitForParsedText = (text: string) =>
    page.waitForFunction(
      (expected) => (globalThis as unknown as Inside).localStorage.getItem('graphiql:query') === expected,
      text,
    );

  async function showExample({ operation, title, text }: (typeof examples)[number]) {
    await page.getByTitle(operation, { exact: true }).click();
    await editorShows(`# ${title}`);
    await waitForParsedText(text);
  }

  const execute = () => page.getByRole('button', { name: /^Execute query/ }).click();

  /** Empties the editor of the response, so that a later text is of the next execution. */
  const clearResponse = () =>
    page.evaluate(() => {
      const models = (globalThis as unknown as Inside).__MONACO.editor.getModels();
      models.find(({ uri }) => uri.path.endsWith('response.json'))?.setValue('');
    });

  /** Returns the whole response from the editor model; the DOM has only the visible lines. */
  async function readResponse(): Promise<{ data?: unknown; errors?: unknown }> {
    const text = await page.waitForFunction(() => {
      const models = (globalThis as unknown as Inside).__MONACO.editor.getModels();
      return models.find(({ uri }) => uri.path.endsWith('response.json'))?.getValue();
    });
    return JSON.parse((await text.jsonValue()) ?? '');
  }

  test('playground has the colours of the dark and of the light mode of the browser', async () => {
    expect(await page.title()).toBe('Grimoire');
    const background = () =>
      page.evaluate<string>("getComputedStyle(document.querySelector('.graphiql-container')).backgroundColor");
    expect(await background()).toBe('rgb(33, 42, 59)');
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await background()).toBe('rgb(255, 255, 255)');
  });

  test.each(examples)('playground runs the example $name in its tab without errors', async (example) => {
    await showExample(example);
    await clearResponse();
    await execute();
    const { data, errors } = await readResponse();
    expect(errors).toBeUndefined();
    expect(data).toEqual(expect.any(Object));
  });

  test('playground shows the response, the docs, the explorer and the history of the first example', async () => {
    await showExample(first);
    await clearResponse();
    await execute();
    await page.locator('.graphiql-response .view-line', { hasText: '"chainID"' }).waitFor();

    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByRole('link', { name: 'Query', exact: true }).click();
    await page.locator('.graphiql-doc-explorer-title', { hasText: 'Query' }).waitFor();
    await page.getByRole('link', { name: 'chainID', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Show Explorer' }).click();
    await page.locator('.graphiql-explorer-root').getByText('transactionCount', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Show History' }).click();
    await page.locator('.graphiql-history-item', { hasText: first.operation }).first().waitFor();
  });

  test('playground reopens an edited example from the Examples menu in a new tab', async () => {
    await showExample(first);
    await page.locator('.graphiql-query-editor .view-lines').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('query Edited { chainID }');
    await waitForParsedText('query Edited { chainID }');
    await page.getByRole('button', { name: 'Examples' }).click();
    await page.getByRole('menuitem', { name: first.title, exact: true }).click();
    await waitForParsedText(first.text);
    const tabs = await page.locator('.graphiql-tab-button').allTextContents();
    expect(tabs).toEqual(['Edited', ...examples.slice(1).map(({ operation }) => operation), first.operation]);
  });

  test('playground page is revalidated, its assets are immutable, and both have the content policy', async () => {
    const html = await fetch(new URL('/', graph.url));
    expect(html.headers.get('cache-control')).toBe('no-cache');
    expect(html.headers.get('content-security-policy')).toContain("script-src 'self';");
    const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(await html.text())![1]!;
    const asset = await fetch(new URL(script, graph.url));
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(asset.headers.get('content-encoding')).toBe('gzip');
    expect((await fetch(new URL('/assets/none.js', graph.url))).status).toBe(404);
  });

  test('playground without introspection shows a notice and runs operations', async () => {
    const closed = await startGraph({ RPC_URL: devnet.nodeService.http, INTROSPECTION: 'off' });
    const other = await browser.newPage({ reducedMotion: 'reduce' });
    await other.goto(closed.url);
    await other.locator('#notice', { hasText: 'Introspection is off on this server (INTROSPECTION).' }).waitFor();
    // Without a schema GraphiQL may ignore a click while it still loads: click until the result is there. While the operation runs,
    // the button would stop it.
    const result = other.locator('.result-window', { hasText: '"data"' });
    const start = other.getByRole('button', { name: /^Execute query/ });
    const showsResult = async () => {
      if (await result.isVisible()) return true;
      if (await start.isVisible()) await start.click();
      return result.waitFor({ timeout: 500 }).then(
        () => true,
        () => false,
      );
    };
    await waitUntil(showsResult, 'the playground shows the result');
    await page.locator('#notice').waitFor({ state: 'hidden' });
    await other.close();
    await closed.stop();
  });
});

describe('pages of other origins', () => {
  /** The browser imports urql from this server: a page of another loopback origin uses the graph with default settings. */
  const MODULES: Readonly<Record<string, string>> = {
    '/urql-core.mjs': '@urql/core/dist/urql-core.mjs',
    '/urql-core-chunk.mjs': '@urql/core/dist/urql-core-chunk.mjs',
    '/graphql.web.mjs': '@0no-co/graphql.web/dist/graphql.web.mjs',
    '/wonka.mjs': 'wonka/dist/wonka.mjs',
  };
  const IMPORTS = { '@urql/core': '/urql-core.mjs', '@0no-co/graphql.web': '/graphql.web.mjs', wonka: '/wonka.mjs' };
  const PAGE = `<!doctype html><script>process = { env: { NODE_ENV: 'production' } }</script>
<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>`;

  let pages: Server;
  let page: Page;

  beforeAll(async () => {
    pages = createServer((request, response) => {
      const module = MODULES[request.url!];
      response.setHeader('content-type', module ? 'text/javascript' : 'text/html');
      if (request.url === '/hidden') response.setHeader('content-security-policy', 'sandbox allow-scripts');
      response.end(module ? readFileSync(new URL(`../../node_modules/${module}`, import.meta.url)) : PAGE);
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    page = await browser.newPage();
    await page.goto(`http://localhost:${(pages.address() as AddressInfo).port}/`);
  });

  afterAll(async () => {
    await page?.close();
    pages?.closeAllConnections();
    pages?.close();
  });

  /** Returns the numbers of the first two heads that an EventSource of the page receives. */
  const headsBy = (from: Page, url: string): Promise<number[]> =>
    from.evaluate(
      (address) =>
        new Promise<number[]>((resolve, reject) => {
          const heads: number[] = [];
          const source = new EventSource(address);
          source.addEventListener('next', (event) => {
            const { data } = event as unknown as { data: string };
            heads.push(Number(JSON.parse(data).data.newHeads.number));
            if (heads.length < 2) return;
            source.close();
            resolve(heads);
          });
          source.onerror = () => reject(new Error('the event source failed'));
        }),
      `${url}/graphql?query=${encodeURIComponent('subscription { newHeads { number } }')}`,
    );

  test('EventSource of another loopback origin and of the same origin receives events', async () => {
    const own = await browser.newPage();
    await own.goto(`${graph.url}/healthz`);
    for (const [earlier, later] of await Promise.all([page, own].map((from) => headsBy(from, graph.url)))) {
      expect(later).toBe(earlier! + 1);
    }
    await own.close();
  });

  test('EventSource with the origin null is rejected, and the log names the setting', async () => {
    const hidden = await browser.newPage();
    await hidden.goto(`${page.url()}hidden`);
    await expect(headsBy(hidden, graph.url)).rejects.toThrow('the event source failed');
    await waitUntil(() => /"origin":"null".*CORS_ORIGINS/.test(graph.output()), 'the refused origin is logged');
    await hidden.close();
  });

  test('urql of another loopback origin queries over GET and reads x-request-id', async () => {
    const result = await page.evaluate(async (url) => {
      const name = '@urql/core';
      const { Client, fetchExchange } = (await import(name)) as typeof import('@urql/core');
      const seen: (string | null | undefined)[] = [];
      const client = new Client({
        url,
        exchanges: [fetchExchange],
        fetch: async (address, init) => {
          const response = await fetch(address, init);
          seen.push(init?.method, response.headers.get('x-request-id'));
          return response;
        },
      });
      const { data, error } = await client.query('query ($n: Long) { block(number: $n) { number } }', { n: 1 }).toPromise();
      return { data, error: error?.message, seen };
    }, `${graph.url}/graphql`);
    expect(result).toMatchObject({ data: { block: { number: '0x1' } }, seen: ['GET', expect.stringMatching(/^[0-9a-f-]{36}$/)] });
  });
});

// Last, because its reorg would show in the other pages.
describe('live page', () => {
  let page: Page;

  beforeAll(async () => {
    page = await openPage('/live');
  });

  // Before the graph stops: the page would log an error about the closed connection.
  afterAll(() => page?.context().close());

  const rowsOf = (list: string) => page.locator(`#${list} li`);
  const numberIn = async (row: ReturnType<typeof rowsOf>) => Number(await row.locator('b').textContent());

  test('live page shows new blocks and logs', async () => {
    await page.locator('#state.live', { hasText: 'live' }).waitFor();
    await rowsOf('heads').first().waitFor();
    await rowsOf('logs').first().waitFor();
    const newest = await numberIn(rowsOf('heads').first());
    await page.locator(`#heads li[data-key="0x${(newest + 2).toString(16)}"]`).waitFor();
    expect(await rowsOf('heads').first().locator('code').textContent()).toMatch(/^0x[0-9a-f]{64}$/);
  });

  test('live page strikes out removed blocks and logs of a reorg and shows the new ones', async () => {
    const { nodeService, endpoints, accounts, contracts } = devnet;
    // Not every block of the embedded chain has a log, and the removed ones need one.
    const [from, spender] = [accounts.at(-1)!.address, accounts[0]!.address.slice(2).padStart(64, '0')];
    const data = `0x095ea7b3${spender}${'1'.padStart(64, '0')}`;
    const hash = await rpc(endpoints.http, 'eth_sendTransaction', [{ from, to: contracts[0]!.address, gas: '0x186a0', data }]);
    let receipt: any = null;
    await waitUntil(async () => {
      receipt = await rpc(endpoints.http, 'eth_getTransactionReceipt', [hash]);
      return receipt !== null;
    }, 'the transaction is mined');
    const log = `#logs li[data-key="${receipt.blockHash} ${receipt.logs[0].logIndex}"]`;
    await page.locator(log).waitFor();
    const above = Number(await rpc(endpoints.http, 'eth_blockNumber', [])) - Number(receipt.blockNumber);
    // One more than the blocks from that one on, and four for blocks that are mined meanwhile.
    const body = JSON.stringify({ reorg: { depth: above + 6 } });
    const response = await fetch(nodeService.control, { method: 'POST', body });
    expect(response.status).toBe(200);
    await page.locator('#heads li.removed').nth(1).waitFor();
    await page.locator(`${log}.removed`).waitFor();
    const removedHeight = await numberIn(rowsOf('heads').and(page.locator('.removed')).first());
    await page.locator(`#heads li:not(.removed)[data-key="0x${removedHeight.toString(16)}"]`).waitFor();
    await page.locator('#heads li:not(.removed)').first().waitFor();
    expect(await page.locator('#state').getAttribute('class')).toBe('live');
  });
});

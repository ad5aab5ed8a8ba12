import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../support/clients/browser.ts';
import { startGraph } from '../support/graph/running-graph.ts';
import { waitUntil } from '../support/wait-until.ts';

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
  readonly __MONACO: { editor: { getModels(): { uri: { path: string }; getValue(): string }[] } };
}

let graph: Awaited<ReturnType<typeof startGraph>>;
let browser: Browser;
let page: Page;
let consoleErrors: string[] = [];

beforeAll(async () => {
  [graph, browser] = await Promise.all([startGraph(), launchBrowser()]);
});

afterAll(async () => {
  await Promise.all([browser?.close(), graph?.stop()]);
});

// No test may cause a request to another origin, a violation of the content policy or a console error.
afterEach(async () => {
  await page?.context().close();
  expect(consoleErrors).toEqual([]);
});

/** Opens the playground in a new browser context and collects its errors. */
async function openPage(colorScheme: 'light' | 'dark' = 'light') {
  consoleErrors = [];
  const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 800 } });
  page = await context.newPage();
  // Shorter than jest's timeout, so that a failure names the step.
  page.setDefaultTimeout(60_000);
  const { host } = new URL(graph.url);
  const foreign = (url: string) => {
    if (/^(https?|wss?):/.test(url) && new URL(url).host !== host) consoleErrors.push(`request to ${url}`);
  };
  context.on('request', (request) => foreign(request.url()));
  page.on('websocket', (socket) => foreign(socket.url()));
  page.on('pageerror', (error) => consoleErrors.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) consoleErrors.push(`${message.type()}: ${message.text()}`);
  });
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))",
  );
  await page.goto(new URL('/', graph.url).href);
  await editorShows(`# ${first.title}`);
}

const editorShows = (text: string) => page.locator('.graphiql-query-editor .view-line', { hasText: text }).first().waitFor();

/** GraphiQL parses a new text with a delay, and stores it when done. */
const waitForParsedText = (text: string) =>
  page.waitForFunction((expected) => (globalThis as unknown as Inside).localStorage.getItem('graphiql:query') === expected, text);

const execute = () => page.getByRole('button', { name: /^Execute query/ }).click();

/** Returns the whole response from the editor model; the DOM has only the visible lines. */
async function readResponse(): Promise<{ data?: unknown; errors?: unknown }> {
  const text = await page.waitForFunction(() => {
    const models = (globalThis as unknown as Inside).__MONACO.editor.getModels();
    return models.find(({ uri }) => uri.path.endsWith('response.json'))?.getValue();
  });
  return JSON.parse((await text.jsonValue()) ?? '');
}

test.each([
  ['light', 'rgb(255, 255, 255)'],
  ['dark', 'rgb(33, 42, 59)'],
] as const)('playground in %s mode runs the first example and shows docs, explorer and history', async (scheme, background) => {
  await openPage(scheme);
  expect(await page.title()).toBe('Grimoire');
  const style = "getComputedStyle(document.querySelector('.graphiql-container')).backgroundColor";
  expect(await page.evaluate(style)).toBe(background);

  await execute();
  await page.locator('.graphiql-response .view-line', { hasText: '"chainID"' }).waitFor();

  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.getByRole('link', { name: 'Query', exact: true }).click();
  await page.locator('.graphiql-doc-explorer-title', { hasText: 'Query' }).waitFor();
  await page.getByRole('link', { name: 'chainID', exact: true }).waitFor();

  await page.getByRole('button', { name: 'Show Explorer' }).click();
  await page.locator('.graphiql-explorer-root').getByText('transactionCount', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Show History' }).click();
  await page.locator('.graphiql-history-item', { hasText: first.operation }).waitFor();
});

test.each(examples)('playground runs the example $name in its tab without errors', async ({ text, title, operation }) => {
  await openPage();
  await page.getByTitle(operation, { exact: true }).click();
  await editorShows(`# ${title}`);
  await waitForParsedText(text);
  await execute();
  const { data, errors } = await readResponse();
  expect(errors).toBeUndefined();
  expect(data).toEqual(expect.any(Object));
});

test('playground reopens an edited example from the Examples menu in a new tab', async () => {
  await openPage();
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
  await openPage();
  const closed = await startGraph({ DEVNET_LIFE: 'off', INTROSPECTION: 'off' });
  const other = await browser.newPage();
  await other.goto(closed.url);
  await other.locator('#notice', { hasText: 'Introspection is off on this server (INTROSPECTION).' }).waitFor();
  // Without a schema GraphiQL may ignore a click while it still loads: click until the result is there.
  const result = other.locator('.result-window', { hasText: '"data"' });
  const showsResult = async () => {
    if (await result.isVisible()) return true;
    await other.locator('button.graphiql-execute-button').click();
    return result.waitFor({ timeout: 2_000 }).then(
      () => true,
      () => false,
    );
  };
  await waitUntil(showsResult, 'the playground shows the result');
  await page.locator('#notice').waitFor({ state: 'hidden' });
  await other.close();
  await closed.stop();
});

import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../support/clients/browser.ts';
import { startGraph } from '../support/graph/running-graph.ts';

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

/** What the tests touch in the page's own world. */
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

// Nothing a visitor does may leave the origin, break the content policy or log an error.
afterEach(async () => {
  await page?.context().close();
  expect(consoleErrors).toEqual([]);
});

/** The playground as a first visitor gets it, with everything that must not happen written down. */
async function openPage(colorScheme: 'light' | 'dark' = 'light') {
  consoleErrors = [];
  const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 800 } });
  page = await context.newPage();
  // Shorter than the test's own limit, so that a failure names the step.
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

/** GraphiQL reads the operation's name from a new text a moment later, and stores the text when it has. */
const textIsRead = (text: string) =>
  page.waitForFunction((expected) => (globalThis as unknown as Inside).localStorage.getItem('graphiql:query') === expected, text);

const execute = () => page.getByRole('button', { name: /^Execute query/ }).click();

/** The whole answer: the pane itself has only the lines in view. */
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
] as const)(
  'in the %s the first example runs, and docs, explorer and history show what they should',
  async (scheme, background) => {
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
  },
);

test.each(examples)('the example $name runs in its tab without errors', async ({ text, title, operation }) => {
  await openPage();
  await page.getByTitle(operation, { exact: true }).click();
  await editorShows(`# ${title}`);
  await textIsRead(text);
  await execute();
  const { data, errors } = await readResponse();
  expect(errors).toBeUndefined();
  expect(data).toEqual(expect.any(Object));
});

test('an edited example opens again from the Examples menu, in a tab beside the edited one', async () => {
  await openPage();
  await page.locator('.graphiql-query-editor .view-lines').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('query Edited { chainID }');
  await textIsRead('query Edited { chainID }');
  await page.getByRole('button', { name: 'Examples' }).click();
  await page.getByRole('menuitem', { name: first.title, exact: true }).click();
  await textIsRead(first.text);
  const tabs = await page.locator('.graphiql-tab-button').allTextContents();
  expect(tabs).toEqual(['Edited', ...examples.slice(1).map(({ operation }) => operation), first.operation]);
});

test('the page is asked for again each time, its files never, and the policy stays with them', async () => {
  const html = await fetch(new URL('/', graph.url));
  expect(html.headers.get('cache-control')).toBe('no-cache');
  expect(html.headers.get('content-security-policy')).toContain("script-src 'self';");
  const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(await html.text())![1]!;
  const asset = await fetch(new URL(script, graph.url));
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(asset.headers.get('content-encoding')).toBe('gzip');
  expect((await fetch(new URL('/assets/none.js', graph.url))).status).toBe(404);
});

test('a playground that may not read the schema says so, and its operations run', async () => {
  await openPage();
  const closed = await startGraph({ DEVNET_LIFE: 'off', INTROSPECTION: 'off' });
  const other = await browser.newPage();
  await other.goto(closed.url);
  await other.locator('#notice', { hasText: 'Introspection is off on this server (INTROSPECTION).' }).waitFor();
  await other.locator('button.graphiql-execute-button').click();
  await other.locator('.result-window', { hasText: '"data"' }).waitFor();
  await page.locator('#notice').waitFor({ state: 'hidden' });
  await other.close();
  await closed.stop();
});

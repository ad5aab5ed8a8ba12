import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { EXAMPLE_GROUPS } from '../../../playground/examples/example.ts';
import { launchBrowser } from '../../support/clients/browser.ts';
import { BrowserPages, type PageOptions } from '../../support/clients/browser-pages.ts';
import { examples, PlaygroundPage } from '../../support/clients/playground-page.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** One graph, one browser and mostly one page for all tests: their starts cost more than the tests. */
let graph: RunningGraph;
let browser: Browser;
let pages: BrowserPages;
let playground: PlaygroundPage;

async function openPage(path = '/', options: PageOptions = {}): Promise<PlaygroundPage> {
  const opened = new PlaygroundPage(await pages.open(path, options));
  await opened.waitUntilReady();
  return opened;
}

beforeAll(async () => {
  [graph, browser] = await Promise.all([startGraph({ DEVNET_BLOCK_TIME: '1' }), launchBrowser()]);
  pages = new BrowserPages(browser, graph.url);
  playground = await openPage('/', { colorScheme: 'dark' });
});

afterAll(async () => {
  await browser?.close();
  await graph?.stop();
});

afterEach(() => expect(pages.errors.splice(0)).toEqual([]));

const exampleNamed = (operationName: string) => examples.find((example) => example.operationName === operationName)!;

test('playground has the colours of the dark and of the light mode of the browser', async () => {
  const { page } = playground;
  expect(await page.title()).toBe('Grimoire');
  const background = () =>
    page.evaluate<string>("getComputedStyle(document.querySelector('.graphiql-container')).backgroundColor");
  expect(await background()).toBe('rgb(33, 42, 59)');
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await background()).toBe('rgb(255, 255, 255)');
});

test('playground opens one tab, whose run shows the response, its block, its cost and its upstream calls', async () => {
  expect(await playground.tabTitles()).toEqual([examples[0]!.operationName]);
  await playground.execute();
  const { data, errors } = await playground.readResponse();
  expect({ errors, chainID: data.chainID }).toEqual({ errors: undefined, chainID: '0x7a69' });
  expect(await playground.readStatus()).toMatch(
    /^block [\d,]+cost [\d.]+[\d,]+ compute units\d+ upstream calls in \d+ requests?[\d,]+ ms$/,
  );
});

test('playground lists the examples in groups and links to the other pages', async () => {
  const { page } = playground;
  const panel = page.getByRole('region', { name: 'Examples' });
  expect(await panel.locator('h3').allTextContents()).toEqual(EXAMPLE_GROUPS);
  expect(await panel.getByRole('button').count()).toBe(examples.length);
  const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  const addresses = await links.evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
  expect(addresses).toEqual(['explore', 'docs', 'devnet.json'].map((path) => `${graph.url}/${path}`));
});

test('playground runs an example with variables of the running chain in place of another example', async () => {
  await playground.showExample(exampleNamed('BlockToLogs'));
  const { block } = await playground.readVariables();
  expect(block).toBeGreaterThan(4);
  const { data, errors } = await playground.readResponse();
  expect({ errors, hasTransactions: data.block.transactions.length > 0 }).toEqual({ errors: undefined, hasTransactions: true });
  expect(await playground.tabTitles()).toEqual(['BlockToLogs']);
});

test('playground submits a transaction that it has signed when the reader executes the mutation', async () => {
  await playground.showExample(exampleNamed('Submit'));
  expect((await playground.readVariables()).signed).toMatch(/^0x/);
  await playground.execute();
  const { data } = await playground.readResponse();
  expect(data.submitTransaction).toMatchObject({ alreadyKnown: false, receipt: { succeeded: true } });
});

test('playground lists the events of a subscription with their count and time until it is stopped', async () => {
  const { page } = playground;
  await playground.showExample(exampleNamed('Heads'));
  const events = page.getByRole('region', { name: 'Events' });
  await events.locator('summary b', { hasText: /^2$/ }).waitFor();
  expect(await events.locator('summary b').first().textContent()).toBe(await events.locator('header b').textContent());
  await events.getByRole('button', { name: 'Stop' }).click();
  await events.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
  const [newest, next] = await events.locator('summary').allTextContents();
  expect([newest, next].join()).toMatch(/^\d+[\d:.]{12}\{number: .*,\d+[\d:.]{12}\{number: /);
  await events.locator('summary').first().click();
  expect(JSON.parse((await events.locator('pre').textContent())!)).toMatchObject({
    data: { newHeads: { number: expect.stringMatching(/^0x/) } },
    extensions: { cost: { calls: expect.any(Number) } },
  });
});

test('playground has the operation of the URL, and an example opens beside it', async () => {
  const shared = await openPage(`/graphql?${new URLSearchParams({ query: 'query Shared { chainID }', variables: '{"n": 1}' })}`);
  expect(new URL(shared.page.url()).pathname).toBe('/');
  expect(await shared.textOf('operation.graphql')).toBe('query Shared { chainID }');
  expect(await shared.readVariables()).toEqual({ n: 1 });
  await shared.showExample(exampleNamed('Network'));
  expect(await shared.tabTitles()).toEqual(['Shared', 'Network']);
  await shared.page.context().close();
});

test('playground shows the examples, the query and the response one at a time on a phone', async () => {
  const phone = await openPage('/', { viewport: { width: 390, height: 844 } });
  const panes = phone.page.getByRole('navigation', { name: 'Panes' });
  const width = () => phone.page.evaluate<number>('document.documentElement.scrollWidth');
  await panes.getByRole('button', { name: 'Examples' }).click();
  expect(await width()).toBe(390);
  await phone.page.getByRole('button', { name: exampleNamed('Heads').title }).click();
  await phone.page.getByRole('region', { name: 'Events' }).locator('summary').first().waitFor();
  expect(await width()).toBe(390);
  expect(await phone.page.locator('.graphiql-query-editor').isVisible()).toBe(false);
  await panes.getByRole('button', { name: 'Query' }).click();
  const button = await phone.page.getByRole('button', { name: /^Stop query/ }).boundingBox();
  expect(Math.min(button!.width, button!.height)).toBeGreaterThanOrEqual(44);
  expect(await width()).toBe(390);
  await panes.getByRole('button', { name: 'Examples' }).click();
  await phone.page.getByRole('button', { name: exampleNamed('Submit').title }).click();
  // The reader executes a mutation.
  await phone.page.getByRole('button', { name: /^Execute query/ }).waitFor();
  expect(await phone.page.getByRole('region', { name: 'Events' }).count()).toBe(0);
  await phone.page.context().close();
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
  const { nodeService } = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
  const closed = await startGraph({ RPC_URL: nodeService.http, INTROSPECTION: 'off' });
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  await page.goto(closed.url);
  await page.locator('#notice', { hasText: 'Introspection is off on this server (INTROSPECTION).' }).waitFor();
  // Without a schema GraphiQL may ignore a click while it still loads: click until the result is there. While the operation runs,
  // the button would stop it.
  const result = page.locator('.result-window', { hasText: '"data"' });
  const start = page.getByRole('button', { name: /^Execute query/ });
  const showsResult = async () => {
    if (await result.isVisible()) return true;
    if (await start.isVisible()) await start.click();
    return result.waitFor({ timeout: 500 }).then(
      () => true,
      () => false,
    );
  };
  await waitUntil(showsResult, 'the playground shows the result');
  await playground.page.locator('#notice').waitFor({ state: 'hidden' });
  await page.close();
  await closed.stop();
});

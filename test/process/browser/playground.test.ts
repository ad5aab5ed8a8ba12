import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { EXAMPLE_GROUPS } from '../../../playground/examples/example.ts';
import { sharedOperation } from '../../../playground/shared-operation.ts';
import { launchBrowser } from '../../support/clients/browser.ts';
import { BrowserPages, type PageOptions } from '../../support/clients/browser-pages.ts';
import { examples, PlaygroundPage } from '../../support/clients/playground-page.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { startBalancer } from '../../support/proxies/balancer.ts';

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

afterEach(() => expect(pages.errors.splice(0)).toEqual([]));

const exampleNamed = (operationName: string) => examples.find((example) => example.operationName === operationName)!;

test('playground has the colours of the dark and of the light mode of the browser', async () => {
  const { page } = playground;
  expect(await page.title()).toBe('Grimoire');
  const background = () =>
    page.evaluate<string>("getComputedStyle(document.querySelector('.graphiql-container')).backgroundColor");
  expect(await background()).toBe('rgb(24, 27, 38)');
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await background()).toBe('rgb(255, 255, 255)');
  await page.locator('.graphiql-query-editor .view-line').last().click();
  await page.keyboard.press('Control+Space');
  const completion = '.suggest-widget .focused .label-name';
  await page.locator(completion).waitFor();
  expect(await page.evaluate(`getComputedStyle(document.querySelector('${completion}')).color`)).toBe('rgb(28, 32, 48)');
  await page.keyboard.press('Escape');
});

test('playground opens with the first example, its response, its block, its cost and its upstream calls', async () => {
  expect(await playground.tabTitles()).toEqual([examples[0]!.operationName]);
  const { data, errors } = await playground.readResponse();
  expect({ errors, chainID: data.chainID }).toEqual({ errors: undefined, chainID: '0x7a69' });
  // Only the comment is wrapped.
  const lines = playground.page.locator('.graphiql-query-editor .view-line');
  expect(await lines.count()).toBe(examples[0]!.query.split('\n').length + 1);
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
  expect(addresses).toEqual(['explore', 'docs', '#accounts'].map((path) => `${graph.url}/${path}`));
});

test('playground runs an example with variables of the running chain in place of another example', async () => {
  await playground.showExample(exampleNamed('BlockToLogs'));
  const { block } = await playground.readVariables();
  expect(block).toBeGreaterThan(4);
  const { data, errors } = await playground.readResponse();
  expect({ errors, hasTransactions: data.block.transactions.length > 0 }).toEqual({ errors: undefined, hasTransactions: true });
  expect(await playground.tabTitles()).toEqual(['BlockToLogs']);
});

test('playground shows the example that was chosen last, not the one whose variables arrive last', async () => {
  const { page } = playground;
  const titles = ['BlockToLogs', 'Network'].map((name) => exampleNamed(name).title);
  await page.evaluate(`for (const title of ${JSON.stringify(titles)})
    [...document.querySelectorAll('.examples button')].find(({ textContent }) => textContent === title).click()`);
  await page.locator('.examples [aria-busy="true"]').waitFor({ state: 'detached' });
  expect(await page.locator('.examples [aria-current]').textContent()).toBe(titles[1]);
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
  await events.getByRole('button', { name: 'Stop' }).click();
  await events.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
  expect(await events.locator('summary b').first().textContent()).toBe(await events.locator('header b').textContent());
  const [newest, next] = await events.locator('summary').allTextContents();
  expect([newest, next].join()).toMatch(/^\d+[\d:.]{12}number 0x.*,\d+[\d:.]{12}number 0x/);
  await events.locator('summary').first().click();
  expect(JSON.parse((await events.locator('pre').textContent())!)).toMatchObject({
    data: { newHeads: { number: expect.stringMatching(/^0x/) } },
    extensions: { cost: { calls: expect.any(Number) } },
  });
});

test('playground shows a lost connection, resumes a subscription without loss, and repeats a failed operation', async () => {
  const balancer = await startBalancer();
  await balancer.addServer(graph.url);
  // Without a collection of errors: the console reports the lost connections.
  const page = await browser.newPage();
  await page.goto(balancer.url);
  const unplug = () => {
    balancer.removeServer(graph.url);
    balancer.cutConnections();
  };
  const interrupted = new PlaygroundPage(page);
  await interrupted.showExample(exampleNamed('Heads'));
  const events = page.getByRole('region', { name: 'Events' });
  await events.locator('summary').first().waitFor();
  unplug();
  await events.getByText('The server cannot be reached. Connecting again').waitFor();
  await balancer.addServer(graph.url);
  await events.getByText('none is missing').waitFor();
  const heads = (await events.locator('summary').allTextContents()).map((text) => Number(/number (0x[\da-f]+)/.exec(text)![1]));
  expect(heads).toEqual(heads.map((_, index) => heads[0]! - index));
  unplug();
  await interrupted.showExample(exampleNamed('Network'));
  await page.getByText('The server cannot be reached. The operation has no result.').waitFor();
  await balancer.addServer(graph.url);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.result-window', { hasText: 'gasPrice' }).waitFor();
  await page.close();
});

test('accounts page copies a private key of the embedded network, and has the chosen mode', async () => {
  const page = await pages.open('/#accounts');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy private key of guest' }).click();
  await page.getByRole('button', { name: 'Copied private key of guest' }).waitFor();
  const { accounts } = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(accounts.at(-1)!.privateKey);
  await page.evaluate("localStorage.setItem('graphiql:theme', 'dark')");
  await page.reload();
  expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
  await page.context().close();
});

test('playground has the operation of the URL, copies a link to it, and an example opens beside it', async () => {
  const shared = await openPage(`/graphql?${new URLSearchParams({ query: 'query Shared { chainID }', variables: '{"n": 1}' })}`);
  expect(new URL(shared.page.url()).pathname).toBe('/');
  expect(await shared.textOf('operation.graphql')).toBe('query Shared { chainID }');
  expect(await shared.readVariables()).toEqual({ n: 1 });
  await shared.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await shared.page.getByRole('button', { name: 'Copy link' }).click();
  await shared.page.getByRole('button', { name: 'Copied link' }).waitFor();
  const link = await shared.page.evaluate<string>('navigator.clipboard.readText()');
  expect(sharedOperation(new URL(link))).toEqual({ query: 'query Shared { chainID }', variables: '{"n": 1}' });
  await shared.showExample(exampleNamed('Network'));
  expect(await shared.tabTitles()).toEqual(['Shared', 'Network']);
  await shared.page.context().close();
});

test('playground shows the examples, the query and the response one at a time on a phone', async () => {
  const phone = await openPage('/', { viewport: { width: 390, height: 844 } });
  const panes = phone.page.getByRole('navigation', { name: 'Panes' });
  const width = () => phone.page.evaluate<number>('document.documentElement.scrollWidth');
  expect((await phone.page.locator('.graphiql-query-editor .view-lines').boundingBox())!.y).toBeLessThanOrEqual(120);
  await phone.page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
  await phone.page.getByRole('button', { name: 'Show Query builder' }).click();
  await phone.page.locator('.graphiql-explorer-root input').first().waitFor();
  expect(await phone.page.locator('.doc-explorer-title').textContent()).toBe('Query builder');
  expect(await phone.page.evaluate("document.querySelector('.graphiql-plugin').scrollTop")).toBe(0);
  await phone.page.getByRole('button', { name: 'Open settings dialog' }).click();
  const dark = await phone.page.getByRole('button', { name: 'Dark' }).boundingBox();
  expect(dark!.x + dark!.width).toBeLessThan(390);
  await phone.page.getByRole('button', { name: 'Dark' }).click();
  await phone.page.keyboard.press('Escape');
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

test('playground without introspection shows a notice and keeps the response of an operation that ends before', async () => {
  const { nodeService } = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
  const closed = await startGraph({ RPC_URL: nodeService.http, INTROSPECTION: 'off' });
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  const response = page.locator('.result-window', { hasText: '"data"' });
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('IntrospectionQuery')) await response.waitFor();
    await route.continue();
  });
  await page.goto(closed.url);
  await page.locator('#notice', { hasText: 'Introspection is off on this server (INTROSPECTION).' }).waitFor();
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.getByText('No GraphQL schema available').waitFor();
  expect(await response.count()).toBe(1);
  await playground.page.locator('#notice').waitFor({ state: 'hidden' });
  await page.close();
  await closed.stop();
});

test('playground lists the results of a live query until it is stopped', async () => {
  const live = await openPage();
  await live.showExample(exampleNamed('LiveBalance'));
  const events = live.page.getByRole('region', { name: 'Events' });
  await events.locator('summary b', { hasText: /^1$/ }).waitFor();
  await events.locator('summary').first().click();
  expect(JSON.parse((await events.locator('pre').textContent())!)).toMatchObject({
    data: { account: { balanceIn: expect.stringMatching(/^\d/) } },
  });
  await events.getByRole('button', { name: 'Stop' }).click();
  await events.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
});

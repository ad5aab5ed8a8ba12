import { shortHex } from '@grimoire/client';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { type Explorer, startExplorer } from '../../support/clients/explorer.ts';

let graph: Explorer['graph'];
let devnet: Explorer['devnet'];
let page: Explorer['page'];
let pages: Explorer['pages'];
let goTo: Explorer['goTo'];
let main: Explorer['main'];

beforeAll(async () => {
  ({ graph, devnet, page, pages, goTo, main } = await startExplorer());
});

// No page may cause a request to another origin, a violation of the content policy or a console error.
afterEach(() => expect(pages.errors.splice(0)).toEqual([]));

const showsText = (text: string | RegExp) => main().getByText(text).filter({ visible: true }).first().waitFor();

test('explorer documents are revalidated, have a strict content policy, and link their files relative to the path', async () => {
  const fetchPath = (path: string) => fetch(new URL(path, graph.url), { redirect: 'manual' });
  expect((await fetchPath('/explore')).headers.get('location')).toBe('explore/');
  const deep = await fetchPath('/explore/block/1');
  expect(deep.headers.get('cache-control')).toBe('no-cache');
  expect(deep.headers.get('content-security-policy')).not.toContain('unsafe');
  const script = /src="(\.\.\/assets\/[^"]+\.js)"/.exec(await deep.text())![1]!;
  const asset = await fetchPath(new URL(script, new URL('/explore/block/1', graph.url)).pathname);
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect((await fetchPath('/explore/assets/none.js')).status).toBe(404);
});

const account = () => `address/${devnet.accounts[0]!.address}`;

test.each<readonly [name: string, path: () => string | undefined, ...texts: (string | RegExp)[]]>([
  ['the chain', () => '', 'Finalized', 'base fee', /^0x.{5}….{5}$/, 'Duels in progress'],
  ['a block', () => 'block/20', /confirmations?$/, 'Gas used', /^Fee$/, 'Show all 240'],
  ['a transaction', () => `tx/${devnet.landmarks.tokenTransfer}`, 'transfer(address,uint256)', 'MANA', /:24 [A-Z]+/],
  ['an approval', () => `tx/${devnet.landmarks.approval}`, 'approve(address,uint256)', 'spender'],
  ['a reverted transaction', () => `tx/${devnet.landmarks.revertedTransaction}`, 'Reverted: insufficient balance'],
  ['a contract creation', () => `tx/${devnet.tournament.transactionHash}`, /^Contract creation/, /^Creation code/],
  ['an account', account, 'alice', 'CRWN', 'Wizard 1', 'transfer', /^Fee$/, 'Tokens received', 'Tokens sent', 'Tournament'],
  ['a contract', () => `address/${devnet.tournament.address}`, 'Nonce', 'Events of the contract', 'DuelStart'],
  ['the blocks', () => 'blocks', 'Older →'],
  ['the transactions', () => 'transactions', 'send ether', / s ago$/, 'Older →'],
  ['a token', () => `token/${devnet.contracts[0]!.address}`, '100,000,000', 'Balances now'],
  ['a wizard', () => 'wizard/1', 'Since creation', /\d won/, 'Wizard 2'],
  ['a duel that timed out', () => `duel/${devnet.landmarks.timedOutDuel}`, /by time-out/],
  ['a duel in progress', () => `duel/${devnet.landmarks.runningDuel}`, 'in progress'],
  ['the tournament', () => 'tournament', 'Leaderboard', 'Affinities', 'Wizard 8', 'Running duels'],
])('explorer shows %s in one operation, within the width of a phone', async (_name, path, ...texts) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await goTo(`/explore/${path()}`);
  for (const text of texts) await showsText(text);
  const cost = await page.locator('[data-cost]').textContent();
  expect(cost).toMatch(/^(\d+ upstream requests? with \d+ calls?|no upstream request, all cached)$/);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('explorer of a server with one chain has no switch, and reads its chains once', async () => {
  const operations: string[] = [];
  const record = (request: { postData(): string | null }) => operations.push(request.postData() ?? '');
  page.on('request', record);
  await goTo('/explore/tournament');
  await showsText('Leaderboard');
  page.off('request', record);
  expect(operations.filter((text) => /chains|chain\(/.test(text))).toEqual([expect.stringContaining('chains { chainID }')]);
  expect(await page.locator('.chain-switch').count()).toBe(0);
  expect(await main().getByText('all chains').count()).toBe(0);
});

test('explorer starts a page at its top, and returns to the position of the page before', async () => {
  await goTo('/explore/block/20');
  await main().locator('a[href*="/tx/"]').nth(80).click();
  await page.locator('[data-status]').waitFor();
  expect(await page.evaluate('scrollY')).toBe(0);
  await page.goBack();
  await page.waitForFunction('scrollY > 500');
});

test('explorer finds blocks, transactions, duels and accounts, and lists all objects with one number', async () => {
  const { landmarks, accounts, contracts } = devnet;
  const search = async (text: string) => {
    await page.keyboard.press('/');
    const input = page.locator('input[type=search]:focus');
    await input.fill(text);
    await input.press('Enter');
  };
  const block = await graph.execute('{ block(number: 3) { hash } }');
  const cases: readonly (readonly [string, string])[] = [
    ['#30', '/explore/block/30'],
    ['alice', `/explore/address/${accounts[0]!.address}`],
    ['Tournament', `/explore/address/${devnet.tournament.address}`],
    [shortHex(landmarks.finishedDuel!, 8), `/explore/duel/${landmarks.finishedDuel}`],
    [block.data.block.hash, '/explore/block/3'],
    [landmarks.tokenTransfer!, `/explore/tx/${landmarks.tokenTransfer}`],
    [landmarks.finishedDuel!, `/explore/duel/${landmarks.finishedDuel}`],
    [accounts[0]!.address, `/explore/address/${accounts[0]!.address}`],
    [contracts[0]!.address, `/explore/token/${contracts[0]!.address}`],
    ['elder', `/explore/token/${contracts[2]!.address}`],
    ['wizard #3', '/explore/wizard/3'],
  ];
  for (const [text, path] of cases) {
    await search(text);
    await page.waitForURL(new URL(path, graph.url).href);
  }
  await search('2');
  await main().getByRole('link', { name: 'Block 2', exact: true }).waitFor();
  await main().getByRole('link', { name: 'Wizard 2', exact: true }).waitFor();
});

test.each([
  ['not-found', `block/99999999 tx/0x${'0'.repeat(64)} wizard/999999 search/dragon`],
  ['invalid', 'block/abc search/0x12'],
])('explorer shows the kind %s of a message, and links on', async (kind, paths) => {
  for (const path of paths.split(' ')) {
    await goTo(`/explore/${path}`);
    await main().locator(`[data-problem="${kind}"]`).getByRole('link', { name: 'The latest blocks' }).waitFor();
  }
});

test('explorer states that history is pruned, without an offer to retry, and calls no missing list empty', async () => {
  const setFaults = (faults: object) => fetch(devnet.nodeService.control, { method: 'POST', body: JSON.stringify({ faults }) });
  await setFaults({ errors: { rate: 1, methods: ['eth_getLogs'], code: 4444, message: 'pruned history unavailable' } });
  await goTo(`/explore/address/${devnet.accounts[5]!.address}`);
  await main().locator('[data-problem="pruned"]').waitFor();
  await showsText('Not available.');
  expect(await main().getByRole('button', { name: 'Try now' }).count()).toBe(0);
  await setFaults({});
  await page.getByRole('region', { name: 'Tokens received' }).locator('tbody tr').first().waitFor();
});

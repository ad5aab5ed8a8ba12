import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { launchBrowser } from '../../support/clients/browser.ts';
import { BrowserPages } from '../../support/clients/browser-pages.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { startTcpProxy } from '../../support/proxies/tcp-proxy.ts';
import { createRandomChoices, type RandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { findFreePort } from '../../support/reserved-port.ts';
import { waitUntil } from '../../support/wait-until.ts';

const seed = readSeed();
const seeds = Array.from({ length: runSize(1, 20) }, (_none, index) => seed + index);
/** Time of a walk without its last outage. */
const WALK_MS = runSize(10_000, 50_000);
/** Share of the other outages that last until the page states them. */
const LONG_SHARE = runSize(0, 0.5);
/** Time from an outage until the page states it: 5 s without a head, 1 s until a probe of at most 3 s, and 3 s for a busy machine. */
const NOTICE_MS = 12_000;
/** Time until the page is live and has the head of the node. Attempts to connect are at most 10 s apart. */
const RECOVERY_MS = 15_000;
/** What an outage explains: the browser itself logs failed requests, and Monaco the parts of it that cannot be loaded. */
const EXPLAINED = {
  // The status of an operation that exceeds OPERATION_TIMEOUT_MS.
  node: /^error: Failed to load resource: the server responded with a status of 504/,
  server:
    /^error: (Failed to load resource: net::|WebSocket connection)|^warning: (Could not create web worker|undefined$)|^uncaught: (Event$|Failed to fetch dynamically|Unable to preload CSS)/,
};

interface Outage {
  readonly of: 'node' | 'server';
  readonly start: () => unknown;
  readonly end: () => unknown;
}

let graph: GraphProcess;
let devnet: DevnetDescription;
let browser: Browser;
let pages: BrowserPages;
let origin: string;
let outages: Readonly<Record<string, Outage>>;
let texts: string[];

const control = async (body: unknown) =>
  (await fetch(devnet.nodeService.control, { method: 'POST', body: JSON.stringify(body) })).ok;

beforeAll(async () => {
  [graph, browser] = await Promise.all([startGraph({ DEVNET_BLOCK_TIME: '1' }), launchBrowser()]);
  devnet = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
  const anvil = Number(execFileSync('pgrep', ['-P', String(graph.process.pid), '-x', 'anvil'], { encoding: 'utf8' }));
  const port = await findFreePort();
  const proxy = await startTcpProxy(Number(new URL(graph.url).port), undefined, port);
  origin = `http://127.0.0.1:${port}`;
  pages = new BrowserPages(browser, origin);
  const dropAll = { faults: { drops: { rate: 1 } }, dropSockets: true };
  outages = {
    'node hangs': { of: 'node', start: () => process.kill(anvil, 'SIGSTOP'), end: () => process.kill(anvil, 'SIGCONT') },
    'node resets connections': { of: 'node', start: () => control(dropAll), end: () => control({ faults: {} }) },
    'server refuses connections': { of: 'server', start: proxy.stop, end: proxy.restart },
  };
  const { landmarks, accounts, contracts } = devnet;
  texts = [accounts[1]!.address, contracts[0]!.address, landmarks.tokenTransfer, landmarks.finishedDuel!, `0x${'0'.repeat(64)}`];
  texts.push('7', '30', '999999', 'MANA', 'crown', 'wizard 43', 'wizard #3', 'block 12', 'duel 0x1', 'duel 2');
  texts.push('0x12', '100 % of / and ?a=b#c', 'дуэль', 'x'.repeat(300), '<b>');
});

afterAll(async () => {
  await browser?.close();
  await graph?.stop();
});

/** What a page shows. `isUnmarked`: the text "Loading", or data without its time and without the statement that parts of it are missing. */
interface PageState {
  readonly isTooWide: boolean;
  readonly status: string;
  readonly heads: readonly number[];
  readonly isUnmarked: boolean;
  readonly hasProblem: boolean;
  readonly isBusy: boolean;
}

const READ_STATE = `(() => {
  const has = (selector) => document.querySelector(selector) !== null;
  const textOf = (selector) => document.querySelector(selector)?.textContent ?? '';
  const heads = [textOf('.head-status span'), ...(/explore.$/.test(location.pathname) ? [textOf('.tiles dd')] : [])];
  return {
    isTooWide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    status: textOf('.head-status b'),
    heads: heads.map((text) => Number(/^(?:block )?([\\d,]+)$/.exec(text)?.[1].replaceAll(',', ''))),
    isUnmarked: has('[data-cost], .loading') && !/as of \\d{4}-/.test(textOf('[data-stale]')) && !has('main [data-problem="node"]'),
    hasProblem: has('[data-stale], [data-problem="node"], [data-problem="server"]'),
    isBusy: has('.examples [aria-busy="true"]') || /Connecting again/.test(textOf('.interruption')) ||
      (!has('.events') && /running$/.test(textOf('.run-status'))),
  };
})()`;

/** Takes random steps, and checks the page after each. A step that is not possible where the page is does nothing. */
async function walk(page: Page, { pick, below, chance, weighted }: RandomChoices, steps: string[]): Promise<void> {
  let outage: (Outage & { readonly startedAt: number; readonly isLong: boolean }) | undefined;
  let hasSeenNotice = false;
  /** Until when the errors of an outage are explained. */
  const explainedUntil = { node: 0, server: 0 };
  const end = performance.now() + WALK_MS;
  const isOver = () => performance.now() > end;
  const isOn = (path: string) => page.url().startsWith(origin + path);
  const goTo = (path: string) => page.goto(new URL(path, origin).href);
  /** Whether no other document is opened: a server that is down has none, and the pages of the last outage have data from before it. */
  const isConfined = () => outage !== undefined && (outage.of === 'server' || isOver());
  const isInPlayground = () => page.locator('.graphiql-container').first().isVisible();
  /** The reader is asked to load a page again that has lost the server before it was complete. */
  const isIncomplete = () => page.locator('#notice').isVisible();

  /** Clicks the visible element at this share of them, and returns its name; only returns the address of another document. */
  const click = (selector: string, share: number, condition: string) =>
    page.evaluate<string | undefined>(`(() => {
      const found = [...document.querySelectorAll('${selector}')].filter((each) => each.checkVisibility() && ${condition});
      const chosen = found[Math.floor(${share} * found.length)];
      if (!chosen?.href || [chosen, location].every(({ pathname }) => /^.explore./.test(pathname))) chosen?.click();
      return chosen && (chosen.href ?? chosen.textContent);
    })()`);

  async function followLink(share = below(1e6) / 1e6) {
    // The documentation is none of these pages, and the accounts are a fragment at which the playground loads itself again.
    const paths = isConfined() ? '/^.explore./.test(location.pathname) && /^.explore./' : '/^.(explore.*)?$/';
    const condition = `each.origin === location.origin && each.hash !== '#accounts' && ${paths}.test(each.pathname)`;
    const href = await click('a[href]', share, condition);
    if (href && !(isOn('/explore/') && href.startsWith(`${origin}/explore/`))) await goTo(href);
    return href;
  }

  async function search(text = pick(texts)) {
    if (!isOn('/explore')) return undefined;
    await page.locator('input[type=search]').fill(text);
    await page.locator('input[type=search]').press('Enter');
    return text;
  }

  async function goBack() {
    if (isConfined()) return undefined;
    await page.goBack();
    if (!isOn('/')) await goTo('/explore');
    return page.url();
  }

  async function runExample(label: string, share = below(1e6) / 1e6) {
    const isOpen = (await isInPlayground()) && !(await isIncomplete());
    if (!isOpen && isConfined()) return undefined;
    if (!isOpen) await goTo('/');
    let title: string | undefined;
    await waitUntil(async () => {
      // An example that was chosen before closes the panel on a phone.
      if (!(await page.locator('.examples').isVisible())) await page.getByRole('button', { name: 'Examples' }).click();
      title = await click('.examples button:enabled', share, `each.textContent.endsWith('${label}')`);
      return title !== undefined || isIncomplete();
    }, 'the playground has examples');
    return title;
  }

  /** The embedded network rejects a reorg whose state it has pruned. */
  async function reorganise(depth = 1 + below(6)) {
    return outage?.of !== 'node' && (await control({ reorg: { depth } })) ? String(depth) : undefined;
  }

  async function changeOutage(next = pick(Object.keys(outages)), isLong = chance(LONG_SHARE)) {
    if (outage) return endOutage(outage);
    outage = { ...outages[next]!, startedAt: performance.now(), isLong };
    explainedUntil[outage.of] = Number.POSITIVE_INFINITY;
    await outage.start();
    return next;
  }

  async function endOutage({ of, isLong, startedAt, end: endIt }: NonNullable<typeof outage>) {
    if (isLong && performance.now() - startedAt < NOTICE_MS) return undefined;
    if (isLong && isOn('/explore')) await page.locator('.brand').click();
    else if (isLong && of === 'node') await goTo('/explore');
    if (isLong) await checkNotice();
    hasSeenNotice ||= isLong && of === 'node';
    await endIt();
    explainedUntil[of] = performance.now() + RECOVERY_MS;
    outage = undefined;
    return 'ends';
  }

  /** Awaits a state of the page. A page that is being replaced has none. */
  async function expectState(text: string, ms: number, isExpected: (state: PageState) => boolean | Promise<boolean>) {
    let state: PageState | undefined;
    const readState = async () => {
      state = await page.evaluate<PageState>(READ_STATE).catch(() => undefined);
      return state !== undefined && isExpected(state);
    };
    await waitUntil(readState, text, ms).catch(({ message }: Error) => {
      throw new Error(`${message} at ${page.url()}: ${JSON.stringify(state)}`);
    });
  }

  /** During an outage, no number looks like a present one. A page that was opened in the outage needs a few seconds. */
  async function checkNotice() {
    if (!isOn('/explore')) return;
    const leftMs = Math.max(outage!.startedAt + NOTICE_MS - performance.now(), 5_000);
    await expectState('the page states the outage', leftMs, ({ status, isUnmarked }) => status !== 'live' && !isUnmarked);
  }

  const checkLive = () =>
    expectState('the page is live', RECOVERY_MS, async ({ status, hasProblem, isBusy, heads }) => {
      if (!isOn('/explore')) return !isBusy;
      if (status !== 'live' || hasProblem) return false;
      const head = Number(await rpc(devnet.endpoints.http, 'eth_blockNumber', []));
      return heads.every((each) => each === head);
    });

  async function take(name: string, act: () => Promise<unknown>) {
    steps.push(name);
    const result = await act();
    if (typeof result === 'string') steps.push(`${steps.pop()}: ${result}`);
    await expectState('the page is not too wide', 2_000, ({ isTooWide }) => !isTooWide);
    if (!outage) await checkLive();
    else if (performance.now() - outage.startedAt > NOTICE_MS) await checkNotice();
    const isExplained = (text: string) =>
      (['node', 'server'] as const).some((of) => performance.now() < explainedUntil[of] && EXPLAINED[of].test(text));
    const errors = pages.errors.splice(0).filter((text) => !isExplained(text));
    if (errors.length > 0) throw new Error(errors.join('\n'));
  }

  try {
    while (!isOver() || outage || !hasSeenNotice) {
      if (isOver() && !outage) {
        await take('link', () => goTo('/explore'));
        await take('outage', () => changeOutage('node hangs', true));
      }
      const [name, act] = weighted<readonly [string, () => Promise<unknown>]>([
        [6, ['link', followLink]],
        [3, ['search', search]],
        [2, ['back', goBack]],
        [1, ['width 390', () => page.setViewportSize({ width: 390, height: 844 })]],
        [1, ['width 1280', () => page.setViewportSize({ width: 1280, height: 844 })]],
        [0.5, ['light', () => page.emulateMedia({ colorScheme: 'light' })]],
        [0.5, ['dark', () => page.emulateMedia({ colorScheme: 'dark' })]],
        [2, ['example', () => runExample('')]],
        [1, ['subscription', () => runExample('live')]],
        [1, ['stop', () => click('.events header button', 0, 'each.textContent === "Stop"')]],
        [1, ['reorg', reorganise]],
        [2, ['outage', changeOutage]],
      ]);
      await take(name, act);
    }
  } finally {
    await outage?.end();
  }
}

test.each(seeds)('a random walk over the pages finds no error and no stale number (SEED=%d)', async (each) => {
  const steps: string[] = [];
  const page = await pages.open('/explore');
  try {
    await walk(page, createRandomChoices(each), steps);
  } catch (error) {
    throw new Error(`SEED=${each}\n${steps.slice(-200).join('\n')}\n${error}`);
  } finally {
    process.stdout.write(`random walk: SEED=${each}, ${steps.length} steps\n`);
    pages.errors.length = 0;
    await page.context().close();
  }
});

import { createServer } from 'node:http';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../support/clients/browser.ts';
import { BrowserPages } from '../../support/clients/browser-pages.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { startTestServer } from '../../support/test-server.ts';

/** One graph, one browser and one page per subject for all tests: their starts cost more than the tests. */
let graph: RunningGraph;
let browser: Browser;
let pages: BrowserPages;

beforeAll(async () => {
  [graph, browser] = await Promise.all([startGraph({ DEVNET_BLOCK_TIME: '1' }), launchBrowser()]);
  pages = new BrowserPages(browser, graph.url);
});

// No test may cause a request to another origin, a violation of the content policy or a console error.
afterEach(() => expect(pages.errors.splice(0)).toEqual([]));

describe('pages of other origins', () => {
  let page: Page;

  beforeAll(async () => {
    const origin = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      if (request.url === '/hidden') response.setHeader('content-security-policy', 'sandbox allow-scripts');
      response.end('<!doctype html>');
    });
    const { port } = await startTestServer(origin);
    page = await browser.newPage();
    await page.goto(`http://localhost:${port}/`);
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

  test('EventSource with the origin null is rejected', async () => {
    const hidden = await browser.newPage();
    await hidden.goto(`${page.url()}hidden`);
    await expect(headsBy(hidden, graph.url)).rejects.toThrow('the event source failed');
    await hidden.close();
  });
});

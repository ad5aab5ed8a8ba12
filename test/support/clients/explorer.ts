import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { startGraph } from '../graph/running-graph.ts';
import { launchBrowser } from './browser.ts';
import { BrowserPages } from './browser-pages.ts';

/** Starts one graph, one browser and one page of the explorer for all tests of a file: their starts cost more than the tests. */
export async function startExplorer() {
  const [graph, browser] = await Promise.all([startGraph({ DEVNET_BLOCK_TIME: '1' }), launchBrowser()]);
  const devnet = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
  const pages = new BrowserPages(browser, graph.url);
  const page = await pages.open('/explore', { colorScheme: 'dark' });
  return {
    graph,
    devnet,
    browser,
    pages,
    page,
    goTo: (path: string) => page.goto(new URL(path, graph.url).href),
    main: () => page.locator('main'),
  };
}

export type Explorer = Awaited<ReturnType<typeof startExplorer>>;

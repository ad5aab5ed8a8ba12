import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { launchBrowser } from '../../support/clients/browser.ts';
import { BrowserPages } from '../../support/clients/browser-pages.ts';
import { examples, PlaygroundPage } from '../../support/clients/playground-page.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Every example of the playground, over the embedded network and over a node without `/devnet.json`, tournament and webhooks. */
let graph: RunningGraph;
let plain: RunningGraph;
let browser: Browser;

beforeAll(async () => {
  [graph, browser] = await Promise.all([startGraph({ DEVNET_BLOCK_TIME: '1' }), launchBrowser()]);
  const { nodeService } = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
  plain = await startGraph({ RPC_URL: nodeService.http });
});

afterAll(async () => {
  await browser?.close();
  await plain?.stop();
  await graph?.stop();
});

const plainExamples = examples.filter(
  ({ group, operationName }) => group !== 'Webhooks' && !/duel|tournament/i.test(operationName),
);

describe.each([
  ['the embedded network', () => graph, examples],
  ['another node', () => plain, plainExamples],
] as const)('playground over %s', (_title, graphOf, expected) => {
  let playground: PlaygroundPage;

  beforeAll(async () => {
    playground = new PlaygroundPage(await new BrowserPages(browser, graphOf().url).open('/'));
    await playground.waitUntilReady();
  });

  test('the panel has the examples that the server can run', async () => {
    const buttons = playground.page.getByRole('region', { name: 'Examples' }).getByRole('button');
    // The page lists all examples until it has the schema.
    await waitUntil(async () => (await buttons.count()) === expected.length, 'the panel has these examples');
  });

  test.each(expected.map((example) => [example.title, example] as const))(
    'the example "%s" runs without errors, or names the missing database',
    async (_name, example) => {
      await playground.showExample(example);
      if (example.kind === 'mutation') await playground.execute();
      if (example.variables.length > 0) {
        expect(Object.keys(await playground.readVariables()).sort()).toEqual([...example.variables].sort());
      }
      const { data, errors } = await playground.readResponse();
      // Whether a server has a database is not in its schema.
      if (graphOf() === plain && example.operationName === 'NamedStream')
        return expect(errors).toMatchObject([{ code: 'STREAMS_NOT_CONFIGURED' }]);
      expect({ errors, data }).toEqual({ errors: undefined, data: expect.any(Object) });
      if (example.kind === 'subscription') await playground.page.getByRole('button', { name: 'Stop', exact: true }).click();
    },
  );
});

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { WIZARD_CREDENTIALS, withNodeKey } from '../../support/secrets.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { respondFrom } from '../../support/simulator/rpc-simulator.ts';
import { respondWith, type Script, type ScriptedNode, startScriptedNode } from '../../support/upstream/scripted-node.ts';
import { startScriptedWizardService } from '../../support/upstream/scripted-wizard-service.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** The whole server over two endpoints of a simulated chain, and over one of them. */
let chain: SimChain;
let work: Script;
let first: ScriptedNode;
let second: ScriptedNode;

const silent: Script = () => undefined;

beforeEach(async () => {
  chain = new SimChain({ seed: 3, blocks: 20 });
  work = respondFrom(chain);
  [first, second] = [await startScriptedNode(work), await startScriptedNode(work)];
});

afterEach(() => Promise.all([first.stop(), second.stop()]));

const serve = (nodes: readonly ScriptedNode[], settings = {}) =>
  serveGraph({ RPC_URL: nodes.map(({ url }) => withNodeKey(url)).join(), LOG_LEVEL: 'info', ...settings });
const readyz = async (url: string) => {
  const response = await fetch(`${url}/readyz`);
  return { ...((await response.json()) as { degraded?: object[] }), status: response.status };
};
const isDegraded = async (url: string) => (await readyz(url)).degraded !== undefined;
/** The lines about outages, which name an endpoint. */
const outagesIn = (output: string) => (output.match(/^.*"endpoint".*$/gm) ?? []).map((line) => JSON.parse(line));

test.each([0, 1])(
  'a server stays ready when endpoint %d of two hangs, and names it in /readyz, a metric and the log',
  async (i) => {
    const { url, output, execute } = await serve([first, second], { RPC_TIMEOUT_MS: '800' });
    const hanging = [first, second][i]!;
    hanging.script = silent;
    for (let check = 0; check < 3; check++) expect((await readyz(url)).status).toBe(200);
    await waitUntil(() => isDegraded(url), 'the endpoint is not used');
    const failure = { endpoint: hanging.url, code: 'UPSTREAM_TIMEOUT' };
    const message = 'The node did not respond in time.';
    expect(await readyz(url)).toMatchObject({ status: 200, degraded: [{ ...failure, message }] });
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('\ngrimoire_node_endpoints_unavailable 1\n');
    expect((await execute('{ block { number } }')).data).toEqual({ block: { number: '0x14' } });
    hanging.script = work;
    await waitUntil(
      async () => !(await isDegraded(url)) && outagesIn(output()).at(-1)?.level === 30,
      'the endpoint is used again',
    );
    const outages = outagesIn(output());
    // A request that was sent before the recovery can time out after it, so that a second outage follows.
    const outage = [
      { level: 40, ...failure, reason: message },
      { level: 30, endpoint: hanging.url },
    ];
    expect([2, 4]).toContain(outages.length);
    expect(outages).toMatchObject(outages.length === 2 ? outage : [...outage, ...outage]);
  },
);

test('a server whose only endpoint rejects its credentials recovers with its subscriptions when they are accepted', async () => {
  const { url, output, execute } = await serve([first]);
  const heads = createSubscriptionClient(url).subscribe('subscription { newHeads { number } }');
  first.script = respondWith(401, '');
  await waitUntil(() => outagesIn(output()).length === 1, 'the follower has failed');
  expect(await readyz(url)).toMatchObject({ status: 503, code: 'UPSTREAM_AUTH', endpoint: first.url });
  expect((await execute('{ gasPrice }')).errors).toMatchObject([{ extensions: { code: 'UPSTREAM_AUTH' } }]);
  first.script = work;
  chain.mine();
  expect((await execute('{ chainID }')).data).toEqual({ chainID: '0x7' });
  expect(await heads.waitForEvents(1)).toEqual([{ newHeads: { number: '0x15' } }]);
  expect((await readyz(url)).status).toBe(200);
  const lines = [{ level: 40, code: 'UPSTREAM_AUTH' }, { level: 30 }].map((line) => ({ ...line, endpoint: first.url }));
  expect(outagesIn(output())).toMatchObject(lines);
});

test('an operation and a readiness check that wait for the node until their deadline state so', async () => {
  const { url, execute } = await serve([first], { RPC_TIMEOUT_MS: '60000', OPERATION_TIMEOUT_MS: '500' });
  first.script = silent;
  const message = 'The operation took longer than 500 ms while waiting for the node.';
  const extensions = { code: 'TIMEOUT', source: 'node', limit: 500 };
  expect((await execute('{ gasPrice }')).errors).toMatchObject([{ message, extensions }]);
  const state = 'The readiness check took longer than 2000 ms while waiting for the node.';
  expect(await readyz(url)).toMatchObject({ status: 503, code: 'TIMEOUT', message: state, endpoint: first.url });
});

test('a wizard service that rejects the credentials is degraded, and logged once, until it accepts them', async () => {
  const service = await startScriptedWizardService();
  const { token, email } = WIZARD_CREDENTIALS;
  service.script = () => ({ status: 401, body: null });
  const settings = { WIZARDS_URL: service.url, WIZARDS_API_TOKEN: token, WIZARDS_EMAIL: email };
  const { url, output } = await serve([first], settings);
  await waitUntil(() => isDegraded(url), 'the service is degraded');
  const failure = { code: 'UPSTREAM_AUTH', message: 'The wizard service does not accept the credentials of this server.' };
  expect(await readyz(url)).toMatchObject({ status: 200, degraded: [{ domain: 'wizards', ...failure }] });
  service.script = undefined;
  await waitUntil(async () => !(await isDegraded(url)), 'the service works again');
  const { origin: endpoint } = new URL(service.url);
  expect(outagesIn(output())).toMatchObject([40, 30].map((level) => ({ level, endpoint })));
  await service.stop();
});

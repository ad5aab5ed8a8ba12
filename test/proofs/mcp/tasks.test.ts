import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { rpc } from '../../support/graph/rpc.ts';
import { type StdioAgent, startStdioAgent, type ToolAnswer } from '../../support/mcp/agent.ts';
import { AGENT_TASKS, type World } from '../../support/mcp/tasks.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Tasks about the embedded world, solved with the tools of `grimoire mcp` and checked against the node and the wizard service. */
let agent: StdioAgent;
let world: World;
let graphUrl: string;

const GRAPH_URL = /graph +(http:\S+)\/graphql/;

beforeAll(async () => {
  agent = await startStdioAgent({ DEVNET_LIFE: 'off', MCP_MUTATIONS: 'on' });
  await waitUntil(() => GRAPH_URL.test(agent.errorOutput()), 'the server has printed its ready message');
  graphUrl = GRAPH_URL.exec(agent.errorOutput())![1]!;
  const devnet = (await (await fetch(`${graphUrl}/devnet.json`)).json()) as DevnetDescription;
  const { endpoints, wizardService, accounts, contracts, landmarks } = devnet;
  world = {
    devnet,
    lastBlock: landmarks.lastBlock,
    rpc: (method, ...params) => rpc(endpoints.http, method, params),
    service: async (path) => {
      const headers = { 'content-type': 'application/json', 'x-api-token': wizardService.token, 'x-email': wizardService.email };
      return (await fetch(`${wizardService.url}${path}`, { headers })).json() as any;
    },
    address: (name) => accounts.find((account) => account.name === name)!.address,
    token: (symbol) => contracts.find((contract) => contract.symbol === symbol)!.address,
  };
});

afterAll(async () => {
  // Standard output carried nothing but MCP.
  expect(agent.invalidMessages).toEqual([]);
  await agent.close();
});

const subscriptions = async (): Promise<number> =>
  Number(/^grimoire_subscriptions (\d+)$/m.exec(await (await fetch(`${graphUrl}/metrics`)).text())?.[1] ?? Number.NaN);

test.each(AGENT_TASKS)('an agent can $task', async ({ calls, during, check }) => {
  const answers: ToolAnswer[] = [];
  for (const [i, callOf] of calls.entries()) {
    const call = agent.call(...callOf(world, answers));
    if (during && i === calls.length - 1) {
      await waitUntil(async () => (await subscriptions()) > 0, 'the subscription has started');
      await during(world);
    }
    answers.push(await call);
  }
  await check(answers.at(-1)!.value, world, answers);
});

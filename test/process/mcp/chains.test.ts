import { expect, test } from '@jest/globals';
import { CHAIN_IDS, startChainsGraph } from '../../support/graph/chains-graph.ts';
import { startStdioAgent } from '../../support/mcp/agent.ts';

test('an agent finds the served chains, and reads and follows another one', async () => {
  const { chains, graph } = await startChainsGraph();
  const agent = await startStdioAgent({ GRAPH_URL: `${graph.url}/graphql` });
  const { number, hash } = chains[1]!.head.header;
  const { resources } = await agent.client.listResources();
  expect(resources).toContainEqual(expect.objectContaining({ uri: 'grimoire://chains', title: 'Served chains' }));
  const { contents } = await agent.client.readResource({ uri: 'grimoire://chains' });
  const { text } = contents[0] as { text: string };
  expect(JSON.parse(text).data).toEqual({ chains: CHAIN_IDS.map((chainID) => ({ chainID })) });
  const { value } = await agent.call('execute_operation', { query: '{ chain(id: 5) { block { number } } }' });
  expect(value.data).toEqual({ chain: { block: { number } } });
  const query = `subscription { newHeads(fromBlock: ${Number(number)}, chainId: 5) { hash } }`;
  const collected = await agent.call('collect_events', { query });
  expect(collected.value.events).toMatchObject([{ data: { newHeads: { hash } } }]);
  await agent.close();
});

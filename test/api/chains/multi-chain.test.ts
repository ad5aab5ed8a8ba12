import { beforeAll, expect, test } from '@jest/globals';
import { CHAIN_IDS, startChainsGraph } from '../../support/graph/chains-graph.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import type { SimChain } from '../../support/simulator/chain.ts';

/** A subgraph of several chains, whose entities name their chain. */
let chains: readonly SimChain[];
let graph: RunningGraph;

beforeAll(async () => {
  ({ chains, graph } = await startChainsGraph({ MULTI_CHAIN: 'on', FEDERATED: 'on' }));
});

const ADDRESS = `0x${'1'.repeat(40)}`;
const ENTITIES = `query ($representations: [_Any!]!) { _entities(representations: $representations) {
  ... on Account { chainId address balance } ... on Block { chainId hash number } } }`;

test('the keys of entities name the chain', async () => {
  const { sdl } = (await graph.execute('{ _service { sdl } }')).data._service;
  expect(sdl).toContain('type Account @key(fields: "chainId address _at")');
  expect(sdl).toContain('type Chain implements ChainFields @key(fields: "chainID")');
  expect(sdl).not.toMatch(/type (?!Chain)\w+[^\n]* @key\(fields: "(?!chainId )/);
});

test('entities are those of the chain that their representation names', async () => {
  const head = chains[2]!.head.header;
  const representations = [
    ...CHAIN_IDS.map((chainId) => ({ __typename: 'Account', chainId, address: ADDRESS, _at: null })),
    { __typename: 'Block', chainId: 7, number: head.number },
  ];
  const FRAGMENT = `fragment Account on ChainFields { account(address: "${ADDRESS}") { chainId address balance } }`;
  const { data } = await graph.execute(
    `{ ...Account five: chain(id: 5) { ...Account } seven: chain(id: 7) { ...Account } } ${FRAGMENT}`,
  );
  const accounts = [data, data.five, data.seven].map(({ account }) => account);
  expect(accounts.map(({ chainId }) => chainId)).toEqual(CHAIN_IDS);
  expect(new Set(accounts.map(({ balance }) => balance)).size).toBe(3);
  const { data: received, errors } = await graph.execute(ENTITIES, { representations });
  expect(errors).toBeUndefined();
  expect(received._entities).toEqual([...accounts, { chainId: '0x7', hash: head.hash, number: head.number }]);
});

test.each([
  ['without a chain', undefined, 'A reference to Account has no chainId. Pass all fields of its key.'],
  ['with an invalid chain', 'x', expect.stringContaining('A reference to Account has an invalid chainId.')],
  ['of a chain that is not served', 3, 'The server does not serve chain 3. Pass one of: 1, 5, 7.'],
])('a representation %s fails alone', async (_case, chainId, message) => {
  const valid = { __typename: 'Account', chainId: 5, address: ADDRESS, _at: null };
  const { data, errors } = await graph.execute(ENTITIES, { representations: [{ ...valid, chainId }, valid] });
  expect(data._entities).toEqual([null, expect.objectContaining({ chainId: '0x5' })]);
  expect(errors).toMatchObject([{ path: ['_entities', 0], message, extensions: { code: 'BAD_USER_INPUT' } }]);
});

import { expect, test } from '@jest/globals';
import { AbiCoder } from 'ethers';
import { rpcError, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';
import { ONE_BLOCK } from '../../support/upstream/one-block-node.ts';
import { addressOf, hashOf } from '../../support/upstream/rpc-fixtures.ts';

const [GOOD, BROKEN] = [addressOf(0x600d), addressOf(0xbad)] as [string, string];
const plain = Object.fromEntries(Object.entries(ONE_BLOCK).filter(([method]) => !/^(?:svc|alchemy)_/.test(method)));

// schema: "A contract that returns no balance has an entry with an error."
// The texts of geth for a memory offset or a copy of returned data out of bounds.
test.each(['gas uint64 overflow', 'return data out of bounds'])(
  'a contract whose execution fails with "%s" has an entry with an error',
  async (message) => {
    const graph = await startStubbedGraph({
      ...plain,
      eth_call: ({ to }: { to: string }) => (to === GOOD ? hashOf(7) : to === BROKEN ? rpcError(-32000, message) : '0x'),
    });
    const query = `{ account(address: "${addressOf(1)}") { tokenBalances(contracts: ["${GOOD}", "${BROKEN}"]) { tokenBalance error } }
      token(address: "${BROKEN}") { name } }`;
    const { data, errors } = await graph.execute(query);
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      account: {
        tokenBalances: [
          { tokenBalance: hashOf(7), error: null },
          { tokenBalance: null, error: 'The contract returns no balance.' },
        ],
      },
      token: null,
    });
  },
);

const textOf = (text: string): string => AbiCoder.defaultAbiCoder().encode(['string'], [text]);
/** The name, the symbol and the decimals of the contract, by the data of their calls. */
const GOLD: Record<string, string> = { '0x06fdde03': textOf('Gold'), '0x95d89b41': textOf('GLD'), '0x313ce567': hashOf(6) };

// schema: metadata "is merged field by field from the configured token lists, the node service's database and the contract".
test.each([
  ['some fields', { name: 'Listed Gold', symbol: null, decimals: null, logo: null }, 'Listed Gold'],
  ['no field', { name: null, symbol: null, decimals: null, logo: null }, 'Gold'],
  ['no token', null, 'Gold'],
])('the contract has the fields of a token of which the database of the node has %s', async (_case, metadata, name) => {
  const graph = await startStubbedGraph({
    ...plain,
    svc_getTokenMetadata: metadata,
    eth_call: ({ to, data }: { to: string; data: string }) => (to === GOOD ? (GOLD[data] ?? '0x') : '0x'),
  });
  const { data, errors } = await graph.execute(`{ token(address: "${GOOD}") { name symbol decimals } }`);
  expect(errors).toBeUndefined();
  expect(data).toEqual({ token: { name, symbol: 'GLD', decimals: 6 } });
});

// docs/tokens.md: "It also reads the contract, at the same block, for a balance that the node omits or fails to return."
test('the contracts are read if the token methods of the node fail with an internal error', async () => {
  const internal = rpcError(-32603, 'Internal error');
  const graph = await startStubbedGraph({
    ...plain,
    svc_getTokenMetadata: (contract: string) =>
      contract === addressOf(0) ? { name: null, symbol: null, decimals: null, logo: null } : internal,
    svc_getTokenBalances: internal,
    svc_getTokenAllowance: internal,
    eth_call: ({ to, data }: { to: string; data: string }) => (to === GOOD ? (GOLD[data] ?? hashOf(7)) : '0x'),
  });
  const { data, errors } = await graph.execute(`{
    account(address: "${addressOf(1)}") { tokenBalances(contracts: ["${GOOD}"]) { tokenBalance } }
    tokenAllowance(contract: "${GOOD}", owner: "${addressOf(1)}", spender: "${addressOf(2)}") { value }
    token(address: "${GOOD}") { name }
  }`);
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    account: { tokenBalances: [{ tokenBalance: hashOf(7) }] },
    tokenAllowance: { value: '7' },
    token: { name: 'Gold' },
  });
});

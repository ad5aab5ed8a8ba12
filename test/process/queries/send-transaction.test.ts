import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { keccak256, type TransactionRequest, Wallet } from 'ethers';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { dataOf } from '../../support/graph/results.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { withNodeKey } from '../../support/secrets.ts';
import { type ScriptedCall, startScriptedNode } from '../../support/upstream/scripted-node.ts';

/** Sending signed transactions to a real node. */
let setup: DevnetSetup;
let judy: Wallet;
let ivan: Wallet;

beforeAll(async () => {
  setup = await startDevnetSetup();
  const { accounts } = setup.devnet.description;
  [judy, ivan] = ['judy', 'ivan'].map((name) => new Wallet(accounts.find((one) => one.name === name)!.privateKey)) as [
    Wallet,
    Wallet,
  ];
});

afterEach(() => {
  setup.proxy.intercept = undefined;
});

const send = (data: string) => setup.graph.execute('mutation ($data: Bytes!) { sendRawTransaction(data: $data) }', { data });

const nonceOf = async (wallet: Wallet) => Number(await setup.rpc('eth_getTransactionCount', wallet.address, 'pending'));

/** Signs a valid transfer; a test may override fields. */
const signed = async (wallet: Wallet, changes: TransactionRequest = {}) =>
  wallet.signTransaction({
    chainId: 31337,
    nonce: await nonceOf(wallet),
    type: 2,
    to: ivan.address,
    value: 1n,
    gasLimit: 21_000,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 1n,
    ...changes,
  });

/** The extensions of the error, without the request id. */
async function rejection(data: string) {
  const { data: answer, errors } = await send(data);
  expect(answer).toBeNull();
  expect(errors).toHaveLength(1);
  return { message: errors![0]!.message, ...errors![0]!.extensions };
}

test.each([
  ['legacy', { type: 0, gasPrice: 10n ** 10n, maxFeePerGas: null, maxPriorityFeePerGas: null }],
  ['access-list', { type: 1, gasPrice: 10n ** 10n, maxFeePerGas: null, maxPriorityFeePerGas: null, accessList: [] }],
  ['fee-market', { type: 2 }],
])('a sent %s transaction is found mined by its hash', async (_case, changes) => {
  const data = await signed(judy, changes);
  const { data: answer, errors } = await send(data);
  expect(errors).toBeUndefined();
  expect(answer.sendRawTransaction).toBe(keccak256(data));
  const { data: found } = await setup.graph.execute('query ($h: Bytes32!) { transaction(hash: $h) { type from { address } } }', {
    h: answer.sendRawTransaction,
  });
  expect(found.transaction).toEqual({ type: `0x${changes.type}`, from: { address: judy.address.toLowerCase() } });
});

test('a transaction for another chain is rejected with both chain ids and is not sent', async () => {
  setup.proxy.takeCounts();
  const { code, message } = await rejection(await signed(judy, { chainId: 1 }));
  expect(code).toBe('BAD_USER_INPUT');
  expect(message).toContain('chain 1.');
  expect(message).toContain('chain 31337,');
  expect(setup.proxy.takeCounts().methods.eth_sendRawTransaction).toBeUndefined();
});

test.each<[string, TransactionRequest, string]>([
  ['a nonce that is used up', { nonce: 0, value: 7n }, 'NONCE_TOO_LOW'],
  ['more value than the account has', { value: 10n ** 30n }, 'INSUFFICIENT_FUNDS'],
  ['less gas than it takes to begin', { gasLimit: 20_000 }, 'INTRINSIC_GAS'],
])('a transaction with %s is rejected by the node: %s', async (_case, changes, code) => {
  const data = await signed(judy, changes);
  expect(await rejection(data)).toMatchObject({
    code,
    source: 'node',
    retryable: false,
    method: 'eth_sendRawTransaction',
    hash: keccak256(data),
  });
});

test('a transaction whose response is lost succeeds when the node has it', async () => {
  const data = await signed(judy);
  setup.proxy.takeCounts();
  let answers = 0;
  setup.proxy.rewrite = (answer) => (answers++ === 0 ? 'lost' : answer);
  const sent = await send(data);
  setup.proxy.rewrite = undefined;
  expect(sent).toMatchObject({ data: { sendRawTransaction: keccak256(data) } });
  expect(sent.errors).toBeUndefined();
  expect(setup.proxy.takeCounts().methods).toEqual({ eth_sendRawTransaction: 1, eth_getTransactionByHash: 1 });
});

test('a transaction whose responses are all lost fails with TX_STATUS_UNKNOWN and is sent once', async () => {
  const data = await signed(judy);
  setup.proxy.takeCounts();
  setup.proxy.rewrite = () => 'lost';
  const refused = await rejection(data);
  setup.proxy.rewrite = undefined;
  expect(refused).toMatchObject({ code: 'TX_STATUS_UNKNOWN', hash: keccak256(data), retryable: false });
  const { eth_sendRawTransaction: sent, eth_getTransactionByHash: lookedFor, ...others } = setup.proxy.takeCounts().methods;
  expect({ sent, others }).toEqual({ sent: 1, others: {} });
  expect(lookedFor).toBeLessThanOrEqual(2);
});

test('a transaction to an unreachable node is an error without a doubt about its status', async () => {
  // Without open connections: on one that closes, a submission would be in doubt.
  const away = await startScriptedNode(({ body }, response) => {
    response.setHeader('connection', 'close');
    const chainIdOf = ({ id }: ScriptedCall) => ({ jsonrpc: '2.0', id, result: '0x7a69' });
    return Array.isArray(body) ? body.map(chainIdOf) : chainIdOf(body as ScriptedCall);
  });
  const graph = await serveGraph({ RPC_URL: withNodeKey(away.url) });
  await graph.execute('{ chainID }');
  const data = await signed(judy);
  const before = await graph.execute('mutation ($data: Bytes!) { sendRawTransaction(data: $data) }', {
    data: await signed(judy, { chainId: 1 }),
  });
  expect(before.errors![0]!.extensions.code).toBe('BAD_USER_INPUT');
  await away.stop();
  const { errors } = await graph.execute('mutation ($data: Bytes!) { sendRawTransaction(data: $data) }', { data });
  expect(errors![0]!.extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', retryable: true, hash: keccak256(data) });
});

test('two transactions of one operation are sent in order', async () => {
  const nonce = await nonceOf(judy);
  const [a, b] = await Promise.all([signed(judy, { nonce }), signed(judy, { nonce: nonce + 1 })]);
  setup.proxy.takeCounts();
  const data = await dataOf(
    setup.graph.execute('mutation ($a: Bytes!, $b: Bytes!) { a: sendRawTransaction(data: $a) b: sendRawTransaction(data: $b) }', {
      a,
      b,
    }),
  );
  expect(data).toEqual({ a: keccak256(a), b: keccak256(b) });
  expect(setup.proxy.takeCounts().http).toBe(2);
});

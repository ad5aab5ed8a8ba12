import { beforeAll, expect, test } from '@jest/globals';
import { AbiCoder, Interface } from 'ethers';
import type { Anvil } from '../../devnet/src/anvil/process.ts';
import { readArtifact } from '../../devnet/src/world/artifacts.ts';
import type { RpcReceipt } from '../../src/ethereum/rpc-types.ts';
import { startTestAnvil } from '../support/anvil.ts';
import { type CallNode, rpc } from '../support/graph/rpc.ts';
import type { RunningGraph } from '../support/graph/running-graph.ts';
import { serveGraph } from '../support/graph/served-graph.ts';
import { hashOf } from '../support/upstream/rpc-fixtures.ts';

/** Simulations, access lists, fees and submissions over anvil, compared with its own results and with the transactions that it mines. */
let anvil: Anvil;
let graph: RunningGraph;
let token: string;

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const FORWARDER = '0x00000000000000000000000000000000000f0f0f';
const artifact = readArtifact('Token');
const abi = new Interface(artifact.abi);

const call: CallNode = (method, ...params) => rpc(anvil.url, method, params);
/** Sends transactions of unlocked accounts and mines them in one block; returns their receipts. */
const mineAll = async (transactions: readonly object[]) => {
  const hashes: string[] = [];
  for (const transaction of transactions) hashes.push(await call('eth_sendTransaction', { gas: '0x4c4b40', ...transaction }));
  await call('anvil_mine');
  return Promise.all(hashes.map((hash) => call('eth_getTransactionReceipt', hash)));
};
/** GraphQL text of a list of calls. */
const callsText = (calls: readonly object[]) => JSON.stringify(calls).replace(/"(\w+)":/g, '$1:');

beforeAll(async () => {
  anvil = await startTestAnvil();
  const creation = artifact.bytecode + abi.encodeDeploy(['Mana', 'MANA', 18, 1_000n]).slice(2);
  const [deployed] = await mineAll([{ from: ALICE, data: creation }]);
  token = deployed!.contractAddress;
  // Forwards the value of each call to Bob.
  await call('anvil_setCode', FORWARDER, `0x60006000600060003473${BOB.slice(2)}5af100`);
  await call('anvil_mine');
  graph = await serveGraph({
    RPC_URL: anvil.url,
    RPC_WS_URL: anvil.wsUrl,
    NODE_METHODS: 'plain',
    LOG_LEVEL: 'warn',
    // So that a busy machine does not end the wait for a receipt.
    OPERATION_TIMEOUT_MS: '60000',
  });
});

/** A payment, a token transfer, one that fails, and a payment that a contract forwards. */
const sequence = () => [
  { from: ALICE, to: BOB, value: '0x7' },
  { from: ALICE, to: token, data: abi.encodeFunctionData('transfer', [BOB, 400n]) },
  { from: ALICE, to: token, data: abi.encodeFunctionData('transfer', [BOB, 601n]) },
  { from: ALICE, to: FORWARDER, value: '0x9' },
];

test('simulated calls have the results of the same transactions in the next block', async () => {
  const { data, errors } = await graph.execute(`{ simulate(calls: ${callsText(sequence())}) {
    block { number } calls { status data gasUsed revertReason logs { account { address } topics data }
    transfers { from { address } to { address } value } } } }`);
  expect(errors).toBeUndefined();
  expect(data.simulate.block.number).toBe(await call('eth_blockNumber'));
  const simulated = data.simulate.calls;
  const receipts = await mineAll(sequence());
  expect(simulated.map(({ status, gasUsed, logs }: RpcReceipt) => ({ status, gasUsed, logs }))).toEqual(
    receipts.map(({ status, gasUsed, logs }) => ({
      status,
      gasUsed,
      logs: logs.map(({ address, topics, data }) => ({ account: { address }, topics, data })),
    })),
  );
  const transfer = (from: string, to: string, value: string) => ({ from: { address: from }, to: { address: to }, value });
  expect(simulated.map(({ transfers }: { transfers: string }) => transfers)).toEqual([
    [transfer(ALICE, BOB, '0x7')],
    [],
    [],
    [transfer(ALICE, FORWARDER, '0x9'), transfer(FORWARDER, BOB, '0x9')],
  ]);
  const payload = `0x08c379a0${AbiCoder.defaultAbiCoder().encode(['string'], ['insufficient balance']).slice(2)}`;
  expect(simulated[2]).toMatchObject({ data: payload, revertReason: 'insufficient balance' });
  expect(simulated[1]!.data).toBe(hashOf(1));

  const failed = receipts[2]!.transactionHash;
  const mined = await graph.execute(
    `{ failed: transaction(hash: "${failed}") { revertReason } good: transaction(hash: "${receipts[0]!.transactionHash}") { revertReason } }`,
  );
  expect(mined.data).toEqual({ failed: { revertReason: payload }, good: { revertReason: null } });
  const trace = await call('debug_traceTransaction', failed, { tracer: 'callTracer' });
  expect(payload).toBe(trace.output);
});

test('createAccessList returns the list and the gas of the node', async () => {
  const transfer = { from: ALICE, to: token, data: abi.encodeFunctionData('transfer', [BOB, 1n]) };
  const { data, errors } = await graph.execute(
    `{ createAccessList(data: ${callsText([transfer]).slice(1, -1)}) { accessList { address storageKeys } gasUsed status } }`,
  );
  expect(errors).toBeUndefined();
  const { accessList, gasUsed } = await call('eth_createAccessList', transfer, 'latest');
  expect(accessList[0].storageKeys.length).toBeGreaterThan(0);
  expect(data.createAccessList).toEqual({ accessList, gasUsed, status: '0x1' });
});

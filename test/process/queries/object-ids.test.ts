import { beforeAll, expect, test } from '@jest/globals';
import { postJson } from '../../support/clients/post-json.ts';
import { type DevnetSetup, startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { hex } from '../../support/graph/expected-values.ts';
import { dataOf } from '../../support/graph/results.ts';

/** Ids of objects, by which client caches distinguish them. */
let setup: DevnetSetup;
let alice: string;

beforeAll(async () => {
  setup = await startSharedDevnetSetup();
  alice = setup.devnet.description.accounts[0]!.address;
});

async function read(query: string, variables: Record<string, unknown> = {}) {
  const data = await dataOf(setup.graph.execute(query, variables));
  return data;
}

const hashAt = async (block: string): Promise<string> => (await setup.rpc('eth_getBlockByNumber', block, false)).hash;

test('the id of an account contains the block at which its state is read', async () => {
  const [head, third] = await Promise.all([hashAt('latest'), hashAt('0x3')]);
  const data = await read(
    `query ($a: Address!, $hash: Bytes32!) {
      head: account(address: $a) { id balance }
      same: block { account(address: $a) { id } }
      atHeight: block { miner(block: 3) { id address } }
      byNumber: block(number: 3) { account(address: $a) { id } }
      byHash: block(hash: $hash) { account(address: $a) { id } }
      genesis: block(tag: EARLIEST) { account(address: $a) { id } }
      pending { account(address: $a) { id } }
    }`,
    { a: alice, hash: third },
  );
  expect(data.head.id).toBe(`${alice}-${head}`);
  expect(data.same.account.id).toBe(data.head.id);
  expect(data.byNumber.account.id).toBe(`${alice}-${third}`);
  expect(data.byHash.account.id).toBe(`${alice}-${third}`);
  expect(data.atHeight.miner.id).toBe(`${data.atHeight.miner.address}-${third}`);
  expect(data.genesis.account.id).toBe(`${alice}-${await hashAt('earliest')}`);
  expect(data.pending.account.id).toBe(`${alice}-pending-${head}`);
});

test('the id of an account at the head of a request that names a block contains that block', async () => {
  const response = await postJson(
    `${setup.graph.url}/graphql`,
    { query: `{ account(address: "${alice}") { id } }` },
    { 'x-graph-block': '0x3' },
  );
  const { data } = (await response.json()) as { data: { account: { id: string } } };
  expect(data.account.id).toBe(`${alice}-${await hashAt('0x3')}`);
});

test('an account of another domain has the id of its block', async () => {
  const head = await hashAt('latest');
  const { wizard } = await read('{ wizard(id: 1) { owner { id address } } }');
  expect(wizard.owner.id).toBe(`${wizard.owner.address}-${head}`);
});

test('the id of an account above the head contains the height', async () => {
  const { block } = await read('{ block { miner(block: 99999999) { id address } } }');
  expect(block.miner.id).toBe(`${block.miner.address}-${hex(99_999_999)}`);
});

test('blocks, transactions and logs have the same id on every path', async () => {
  const hash = setup.devnet.description.landmarks.tokenTransfer;
  const data = await read(
    `query ($hash: Bytes32!) {
      transaction(hash: $hash) { id block { id transactions { id } } logs { id index block { id } transaction { id } } }
      receipt(hash: $hash) { transaction { id } logs { id } }
    }`,
    { hash },
  );
  const { transaction, receipt } = data;
  const { blockHash } = await setup.rpc('eth_getTransactionByHash', hash);
  expect(transaction.id).toBe(hash);
  expect(receipt.transaction.id).toBe(hash);
  expect(transaction.block.id).toBe(blockHash);
  expect(transaction.block.transactions).toContainEqual({ id: hash });
  expect(receipt.logs).toEqual(transaction.logs.map(({ id }: { id: string }) => ({ id })));
  for (const log of transaction.logs) {
    expect(log).toEqual({
      id: `${blockHash}-${log.index}`,
      index: log.index,
      block: { id: blockHash },
      transaction: { id: hash },
    });
  }
});

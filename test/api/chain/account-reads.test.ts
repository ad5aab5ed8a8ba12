import { expect, test } from '@jest/globals';
import { AbiCoder } from 'ethers/abi';
import { keccak256 } from 'ethers/crypto';
import { addressOf, block, hashOf, type StubbedGraph, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';

/** Fields of an account that other fields share calls with, and its proofs. */
let graph: StubbedGraph;

const ACCOUNT = addressOf(0xa);
const DELEGATION = `0xef0100${addressOf(0xde).slice(2)}`;
const BLOCK = block();

const PROOF = {
  ...{ address: ACCOUNT, balance: '0x5', codeHash: hashOf(1), nonce: '0x1', storageHash: hashOf(2), accountProof: ['0xcafe'] },
};

const startWith = async (methods: Record<string, unknown>): Promise<void> => {
  graph = await startStubbedGraph({ eth_getBlockByNumber: BLOCK, eth_getBlockByHash: BLOCK, ...methods });
};

async function run(query: string) {
  graph.node.takeCounts();
  const { data, errors } = await graph.execute(query);
  const { http, methods } = graph.node.takeCounts();
  return { account: data?.block?.account, errors, http, methods };
}

/** Selects fields of the account after block 16, which costs one call itself. */
const select = (fields: string): string => `{ block(number: 16) { account(address: "${ACCOUNT}") { ${fields} } } }`;

test('balance, balanceIn, isContract and code cost two calls in one request', async () => {
  await startWith({ eth_getBalance: '0x14d1120d7b160000', eth_getCode: '0x60' });
  const { account, errors, http, methods } = await run(
    select('balance balanceIn wei: balanceIn(unit: WEI) gwei: balanceIn(unit: GWEI) isContract code'),
  );
  expect(errors).toBeUndefined();
  expect(account).toEqual({
    ...{ balance: '0x14d1120d7b160000', balanceIn: '1.5', wei: '1500000000000000000', gwei: '1500000000' },
    ...{ isContract: true, code: '0x60' },
  });
  // The block, then its state in one request.
  expect({ http, methods }).toEqual({ http: 2, methods: { eth_getBlockByNumber: 1, eth_getBalance: 1, eth_getCode: 1 } });
});

test.each([
  ['0x', false],
  ['0x00', true],
  [DELEGATION, false],
  [DELEGATION.toUpperCase().replace('X', 'x'), false],
  [`${DELEGATION}00`, true],
])('an account with the code %s is a contract: %p', async (code, isContract) => {
  await startWith({ eth_getCode: code });
  expect(await run(select('isContract code'))).toMatchObject({ account: { isContract, code: code.toLowerCase() } });
});

test('an element of a mapping shares the call of its storage slot', async () => {
  const slot = keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'uint256'], [ACCOUNT, 3]));
  await startWith({ eth_getStorageAt: (_address: string, at: string) => (at === slot ? hashOf(9) : hashOf(0)) });
  const { account, errors, methods } = await run(
    select(
      `mappingStorage(slot: 3, keys: ["${ACCOUNT}"]) again: mappingStorage(slot: "0x3", keys: ["${hashOf(0xa)}"]) storage(slot: "${slot}")`,
    ),
  );
  expect(errors).toBeUndefined();
  expect(account).toEqual({ mappingStorage: hashOf(9), again: hashOf(9), storage: hashOf(9) });
  expect(methods).toEqual({ eth_getBlockByNumber: 1, eth_getStorageAt: 1 });
});

test('a mapping key of more than 32 bytes fails with BAD_USER_INPUT without a call', async () => {
  await startWith({});
  const { errors, methods } = await run(select(`mappingStorage(slot: 0, keys: ["${hashOf(1)}00"])`));
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', source: 'graph' } }]);
  expect(methods).toEqual({ eth_getBlockByNumber: 1 });
});

test('a proof is read at the hash of the block, equal proofs once', async () => {
  await startWith({
    eth_getProof: (_address: string, keys: string[]) => ({
      ...PROOF,
      storageProof: keys.map((key) => ({ key, value: hashOf(7), proof: ['0xf8'] })),
    }),
  });
  const keys = `storageKeys: ["${hashOf(1)}", "${hashOf(0)}"]`;
  const { account, errors, http } = await run(
    select(`proof(${keys}) { balance nonce codeHash storageHash accountProof storageProof { key value proof } }
      again: proof(${keys}) { address } bare: proof { address storageProof { key } }`),
  );
  expect(errors).toBeUndefined();
  expect(account).toEqual({
    proof: {
      ...{ balance: '0x5', nonce: '0x1', codeHash: hashOf(1), storageHash: hashOf(2), accountProof: ['0xcafe'] },
      storageProof: ['0x1', '0x0'].map((key) => ({ key, value: '0x7', proof: ['0xf8'] })),
    },
    again: { address: ACCOUNT },
    bare: { address: ACCOUNT, storageProof: [] },
  });
  const at = { blockHash: BLOCK.hash };
  expect(graph.requested.slice(1)).toEqual([
    ['eth_getProof', ACCOUNT, [hashOf(1), hashOf(0)], at],
    ['eth_getProof', ACCOUNT, [], at],
  ]);
  expect(http).toBe(2);
});

test('a proof of another account, or of other keys, fails with UPSTREAM_BAD_RESPONSE', async () => {
  await startWith({ eth_getProof: { ...PROOF, storageProof: [{ key: '0x2', value: '0x0', proof: [] }] } });
  const { account, errors } = await run(select(`proof(storageKeys: ["${hashOf(1)}"]) { balance }`));
  expect(account).toEqual({ proof: null });
  expect(errors).toMatchObject([{ path: ['block', 'account', 'proof'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
});

test('a node without eth_getProof fails with METHOD_NOT_SUPPORTED, and is not tried again', async () => {
  await startWith({ eth_getBalance: '0x1' });
  for (const tries of [true, false]) {
    const { account, errors, methods } = await run(select('balance proof { nonce }'));
    expect(account).toEqual({ balance: '0x1', proof: null });
    expect(errors).toMatchObject([{ extensions: { code: 'METHOD_NOT_SUPPORTED', method: 'eth_getProof', retryable: false } }]);
    expect('eth_getProof' in methods).toBe(tries);
  }
});

test('a proof of more than 100 storage keys fails with BAD_USER_INPUT without a call', async () => {
  await startWith({ eth_getProof: PROOF });
  const keys = Array.from({ length: 101 }, (_, i) => `"${hashOf(i)}"`);
  const { errors, methods } = await run(select(`proof(storageKeys: [${keys}]) { nonce }`));
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', limit: 100, actual: 101 } }]);
  expect(methods).toEqual({ eth_getBlockByNumber: 1 });
});

import { RLP } from '@ethereumjs/rlp';
import { expect, test } from '@jest/globals';
import { getBytes, keccak256 } from 'ethers';
import { addressOf, block, hashOf, type StubResponses, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';

/** The access list of a block (EIP-7928). */
const ACCESSES = [
  { address: addressOf(0xa), balanceChanges: [{ index: '0x1', value: '0xde0b6b3a7640000' }], nonceChanges: [] },
  {
    address: addressOf(0xb),
    storageChanges: [
      {
        key: hashOf(3),
        changes: [
          { index: '0x0', value: hashOf(0x100) },
          { index: '0x2', value: hashOf(0) },
        ],
      },
    ],
    storageReads: [hashOf(0), hashOf(0x80)],
    balanceChanges: [],
    nonceChanges: [{ index: '0x2', value: '0x7' }],
    codeChanges: [{ index: '0x2', code: '0x6001' }],
  },
];

/** Integers have no leading zeros. */
const ENCODED = RLP.encode([
  [getBytes(addressOf(0xa)), [], [], [[1, 10n ** 18n]], [], []],
  [
    getBytes(addressOf(0xb)),
    [
      [
        3,
        [
          [0, 0x100],
          [2, 0],
        ],
      ],
    ],
    [0, 0x80],
    [],
    [[2, 7]],
    [[2, getBytes('0x6001')]],
  ],
]);
const BLOCK = block({ blockAccessListHash: keccak256(ENCODED) });

const FIELDS = `address storageChanges { slot changes { index value } } storageReads balanceChanges { index value }
  nonceChanges { index value } codeChanges { index code }`;

async function read(methods: StubResponses, found: unknown = BLOCK) {
  const graph = await startStubbedGraph({ eth_getBlockByNumber: found, ...methods });
  const { data, errors } = await graph.execute(
    `{ block(number: 16) { accessList { ${FIELDS} } again: accessList { address } } }`,
  );
  return { list: data?.block?.accessList, code: errors?.[0]?.extensions?.code, requested: graph.requested.slice(1) };
}

const empty = { storageChanges: [], storageReads: [], balanceChanges: [], nonceChanges: [], codeChanges: [] };
const EXPECTED = ACCESSES.map(({ storageChanges = [], ...lists }) => ({
  ...empty,
  ...lists,
  storageChanges: storageChanges.map(({ key, changes }) => ({ slot: key, changes })),
}));

test('the access list is one call, and has the hash in the header', async () => {
  const { list, requested } = await read({ eth_getBlockAccessList: ACCESSES });
  expect(list).toEqual(EXPECTED);
  expect(requested).toEqual([['eth_getBlockAccessList', BLOCK.hash]]);
});

test('a node with the earlier method returns the access list by it', async () => {
  const { list, requested } = await read({ eth_getBlockAccessListByBlockHash: ACCESSES });
  expect(list).toEqual(EXPECTED);
  expect(requested.map(([method]) => method)).toEqual(['eth_getBlockAccessList', 'eth_getBlockAccessListByBlockHash']);
});

test('a block without the hash of an access list has none, without a call', async () => {
  expect(await read({ eth_getBlockAccessList: ACCESSES }, block())).toEqual({ list: null, code: undefined, requested: [] });
});

test.each<[string, StubResponses, string]>([
  ['that lacks an account', { eth_getBlockAccessList: ACCESSES.slice(1) }, 'UPSTREAM_BAD_RESPONSE'],
  [
    'with another balance',
    { eth_getBlockAccessList: [{ ...ACCESSES[0], balanceChanges: [] }, ACCESSES[1]] },
    'UPSTREAM_BAD_RESPONSE',
  ],
  [
    'with a malformed index',
    { eth_getBlockAccessList: [{ address: addressOf(1), nonceChanges: [{}] }] },
    'UPSTREAM_BAD_RESPONSE',
  ],
  ['that the node no longer has', { eth_getBlockAccessList: null }, 'BLOCK_NOT_AVAILABLE'],
  ['of a node with neither method', {}, 'METHOD_NOT_SUPPORTED'],
])('an access list %s is an error', async (_name, methods, code) => {
  expect(await read(methods)).toMatchObject({ list: null, code });
});

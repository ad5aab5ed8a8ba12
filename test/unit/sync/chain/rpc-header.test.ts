import { describe, expect, test } from '@jest/globals';
import { headerForm } from '../../../../src/ethereum/encoding/block.ts';
import { headerHash, readAnnouncedHead, readHead } from '../../../../src/sync/chain/rpc-header.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { announcementOf, GETH } from '../../../support/simulator/rpc-simulator.ts';

const chain = new SimChain({ seed: 3, bloom: 'real', blocks: 3 });
const block = chain.head;

describe('readAnnouncedHead and readHead', () => {
  test('readAnnouncedHead reads a geth announcement and leaves its strings unchanged', () => {
    const announced = readAnnouncedHead(announcementOf(block, GETH));
    expect(announced).toEqual({
      hash: block.hash,
      number: '0x3',
      height: 3,
      parentHash: block.parent!.hash,
      header: block.header,
    });
  });

  test('readAnnouncedHead accepts a header without a hash and with receiptRoot', () => {
    const announced = readAnnouncedHead(announcementOf(block, { ...GETH, header: 'service' }))!;
    expect(announced.hash).toBeUndefined();
    expect(announced.header).toMatchObject({ receiptsRoot: block.header.receiptsRoot, number: '0x3' });
    expect(announced.header).not.toHaveProperty('receiptRoot');
    expect(readHead(announcementOf(block, { ...GETH, header: 'service' }))).toBeUndefined();
  });

  test('readAnnouncedHead accepts null as the hash of a pending block, and keeps null but no lists', () => {
    const announced = readAnnouncedHead({ ...block.header, hash: null, extra: null, transactions: [] })!;
    expect(announced.hash).toBeUndefined();
    expect(announced.header).toHaveProperty('extra', null);
    expect(announced.header).not.toHaveProperty('transactions');
    expect(readHead(null)).toBeUndefined();
  });

  test('readHead normalises upper case and leading zeros', () => {
    const unnormalised = { ...block.header, hash: block.hash.toUpperCase().replace('X', 'x'), number: '0x0003' };
    expect(readHead(unnormalised)).toMatchObject({
      hash: block.hash,
      number: '0x3',
      header: { hash: block.hash, number: '0x3' },
    });
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a string', '0x1'],
    ['a number', 7],
    ['a list', [block.header]],
    ['an empty object', {}],
    ['a header without a number', { ...block.header, number: undefined }],
    ['a malformed number', { ...block.header, number: '0xzz' }],
    ['a negative number', { ...block.header, number: -1 }],
    ['a number above the maximum height', { ...block.header, number: `0x${'f'.repeat(16)}` }],
    ['the lowest number that is not exact', { ...block.header, number: '0x20000000000000' }],
    ['a fraction', { ...block.header, number: 1.5 }],
    ['a number of more than 256 bits', { ...block.header, number: `0x${'f'.repeat(65)}` }],
    ['a number a million digits long', { ...block.header, number: `0x${'1'.repeat(1_000_000)}` }],
    ['a header without a parent', { ...block.header, parentHash: null }],
    ['a parent hash that is too short', { ...block.header, parentHash: '0x12' }],
    ['a malformed hash', { ...block.header, hash: '0x12' }],
    ['a hash that is a number', { ...block.header, hash: 12 }],
  ])('readAnnouncedHead returns undefined for %s', (_case, wire) => {
    expect(readAnnouncedHead(wire)).toBeUndefined();
  });
});

/** Block 1 of Ethereum mainnet. */
const MAINNET_1 = {
  parentHash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  miner: '0x05a56e2d52c817161883f50c441c3228cfe54d9f',
  stateRoot: '0xd67e4d450343046425ae4271474353857ab860dbc0a1dde64b41b5cd3a532bf3',
  transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  receiptsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  logsBloom: `0x${'0'.repeat(512)}`,
  difficulty: '0x3ff800000',
  number: '0x1',
  gasLimit: '0x1388',
  gasUsed: '0x0',
  timestamp: '0x55ba4224',
  extraData: '0x476574682f76312e302e302f6c696e75782f676f312e342e32',
  mixHash: '0x969b900de27b6ac6a67742365dd65f55a0526c41fd18e1b16f1a1215c2e66f59',
  nonce: '0x539bd4979fef1ec4',
};

describe('headerHash', () => {
  test('headerHash of mainnet block 1 is its known hash', () => {
    expect(headerHash(MAINNET_1)).toBe('0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6');
  });

  test.each(['frontier', 'london', 'shanghai', 'cancun', 'prague'] as const)('headerHash is the hash of a %s header', (fork) => {
    const { header, hash } = new SimChain({ seed: 5, fork }).mine().added[0]!;
    expect(headerHash(header)).toBe(hash);
  });

  test('headerHash includes each Amsterdam field', () => {
    const prague = chain.head.header;
    const withAccessList = { ...prague, blockAccessListHash: prague.stateRoot };
    const hashes = [prague, withAccessList, { ...withAccessList, slotNumber: '0x7' }].map(headerHash);
    expect(new Set(hashes).size).toBe(3);
    expect(hashes).not.toContain(undefined);
    expect([prague, withAccessList, { ...withAccessList, slotNumber: '0x7' }].map(headerForm)).toEqual([
      'requestsHash',
      'blockAccessListHash',
      'slotNumber',
    ]);
  });

  test.each([...Object.keys(MAINNET_1)])('headerHash is undefined without a valid %s', (name) => {
    expect(headerHash({ ...MAINNET_1, [name]: undefined })).toBeUndefined();
    expect(headerHash({ ...MAINNET_1, [name]: 'malformed' })).toBeUndefined();
  });

  test('headerHash is another hash when a field of an earlier fork is missing', () => {
    expect(headerHash({ ...MAINNET_1, withdrawalsRoot: MAINNET_1.stateRoot })).not.toBe(headerHash(MAINNET_1));
  });

  test('headerHash ignores null in a field of a later fork', () => {
    expect(headerHash({ ...MAINNET_1, baseFeePerGas: null })).toBe(headerHash(MAINNET_1));
    expect(headerForm({ ...MAINNET_1, baseFeePerGas: null })).toBe('');
  });
});

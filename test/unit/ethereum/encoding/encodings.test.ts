import { RLP } from '@ethereumjs/rlp';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { keccak256 } from 'ethers/crypto';
import { toQuantity } from 'ethers/utils';
import { checkedBlock, encodeHeader } from '../../../../src/ethereum/encoding/block.ts';
import { keccakOfDigits } from '../../../../src/ethereum/encoding/keccak.ts';
import { listRoot } from '../../../../src/ethereum/encoding/list-root.ts';
import {
  asData,
  asFields,
  asList,
  asOptionalData,
  asQuantity,
  rlpBytes,
  rlpInteger,
  rlpList,
} from '../../../../src/ethereum/encoding/rlp.ts';
import {
  authorityOf,
  checkedReceipts,
  encodeReceipt,
  encodeTransaction,
  isKnownType,
} from '../../../../src/ethereum/encoding/transaction.ts';
import { type BuiltBlock, buildBlock } from '../../../support/ethereum/built-block.ts';
import { finished } from '../../../support/ethereum/finished.ts';
import { MAINNET_46147 } from '../../../support/ethereum/mainnet-46147.ts';
import { naiveRoot } from '../../../support/ethereum/naive-trie.ts';
import { AUTHORITY } from '../../../support/upstream/replay/transaction-builder.ts';

describe('encodings', () => {
  let built: BuiltBlock;

  const EMPTY_LIST_HASH = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
  const rootOf = (transaction: string) => finished(listRoot([transaction.slice(2)]));

  const WITHDRAWALS = [
    { index: '0x0', validatorIndex: '0x80', address: `0x${'11'.repeat(20)}`, amount: '0x3b9aca00' },
    { index: '0x1', validatorIndex: '0x0', address: `0x${'12'.repeat(20)}`, amount: '0x1' },
  ];

  beforeAll(async () => {
    built = await buildBlock({ ommers: 2, withdrawals: WITHDRAWALS });
  });

  const checked = (block: any) =>
    finished(
      checkedBlock(
        block,
        built.rawHeader,
        built.rawTransactions,
        built.ommers.map((ommer) => `0x${encodeHeader(ommer)}`),
      ),
    );

  describe('encodeTransaction', () => {
    test('a transaction of each type is encoded as by ethers', () => {
      expect(built.block.transactions.map((one: any) => `0x${encodeTransaction(one)}`)).toEqual(built.rawTransactions);
      expect(new Set(built.block.transactions.map(({ type }: any) => type))).toEqual(
        new Set(['0x0', '0x1', '0x2', '0x3', '0x4']),
      );
    });

    test('the first transaction of mainnet is encoded without a chain id', () => {
      expect(`0x${encodeTransaction(MAINNET_46147.transaction)}`).toBe(MAINNET_46147.rawTransaction);
    });

    test('values with leading zeros, in upper case or without yParity give the same encoding', () => {
      const [, , , , , one] = built.block.transactions;
      const { yParity, ...without } = one;
      const padded = {
        ...without,
        r: `0x${one.r.slice(2).padStart(64, '0').toUpperCase()}`,
        to: one.to.toUpperCase().replace('X', 'x'),
      };
      expect(yParity).toBeDefined();
      expect(`0x${encodeTransaction(padded)}`).toBe(built.rawTransactions[5]);
    });

    test('a transaction of an unknown type, or without one of its values, has no encoding', () => {
      const [, , , , one] = built.block.transactions;
      expect(encodeTransaction({ ...one, type: '0x7e' })).toBeUndefined();
      for (const name of ['chainId', 'nonce', 'maxFeePerGas', 'gas', 'value', 'input', 'accessList', 'r']) {
        expect(encodeTransaction({ ...one, [name]: undefined })).toBeUndefined();
      }
    });

    test.each([
      ['0x0', true],
      ['0x4', true],
      [undefined, true],
      ['0x5', false],
      ['0x7e', false],
      ['what', false],
    ])('type %s is known: %p', (type, isKnown) => {
      expect(isKnownType(type)).toBe(isKnown);
    });
  });

  describe('checkedReceipts', () => {
    test('the receipts of a block are encoded as its receipts root commits to them', () => {
      expect(finished(checkedReceipts(built.receipts as any, built.block.receiptsRoot))).toEqual(built.rawReceipts);
    });

    test('the receipt of mainnet block 46147 is encoded with its state root', () => {
      const { block, receipt, rawReceipt } = MAINNET_46147;
      expect(finished(checkedReceipts([receipt as any], block.receiptsRoot))).toEqual([rawReceipt]);
    });

    test.each(['status', 'cumulativeGasUsed', 'logsBloom', 'type'])('receipts with another %s are rejected', (name) => {
      const [first, ...others] = built.receipts;
      const changed = { ...first, [name]: name === 'logsBloom' ? `0x${'1'.repeat(512)}` : '0x3' };
      expect(() => finished(checkedReceipts([changed, ...others] as any, built.block.receiptsRoot))).toThrow('receipts root');
    });

    test('a receipt without a status and a root is rejected', () => {
      const [first] = built.receipts;
      const receipts = [{ ...first, status: null, root: null }] as any;
      expect(() => finished(checkedReceipts(receipts, built.block.receiptsRoot))).toThrow('receipts with all values');
    });

    test('the receipt of an OP Stack deposit includes the nonce and the version', () => {
      const deposit: any = { ...built.receipts[0], type: '0x7e' };
      const bare = encodeReceipt(deposit)!;
      const versioned = encodeReceipt({ ...deposit, depositNonce: '0x5', depositReceiptVersion: '0x1' })!;
      expect([bare.slice(0, 2), versioned.slice(0, 2)]).toEqual(['7e', '7e']);
      expect(versioned.length - bare.length).toBe(4);
      expect(versioned.endsWith('0501')).toBe(true);
    });
  });

  describe('checkedBlock', () => {
    test('a block is encoded with header, transactions, ommers and withdrawals', () => {
      expect(checked(built.block)).toBe(built.raw);
    });

    test.each([
      ['transactionsRoot', 'transactions root'],
      ['sha3Uncles', 'ommer hash'],
      ['withdrawalsRoot', 'withdrawals root'],
    ])('a block whose contents do not match its %s is rejected', (name, message) => {
      expect(() => checked({ ...built.block, [name]: built.block.stateRoot })).toThrow(message);
    });

    test('a block without the withdrawals to which its header commits, or with a malformed one, is rejected', () => {
      expect(() => checked({ ...built.block, withdrawals: null })).toThrow('withdrawals root');
      expect(() => checked({ ...built.block, withdrawals: [{ index: '0x0' }] })).toThrow('withdrawals root');
    });

    test('a block of the OP Stack has a root that is not of its withdrawals', () => {
      const deposit = '0x7ec0';
      const block = { ...built.block, withdrawals: [], transactionsRoot: rootOf(deposit), sha3Uncles: EMPTY_LIST_HASH };
      const encoded = finished(checkedBlock(block as any, built.rawHeader, [deposit], []));
      expect(encoded.endsWith('c3827ec0c0c0')).toBe(true);
      expect(() =>
        finished(checkedBlock({ ...block, transactionsRoot: rootOf('0x02c0') } as any, built.rawHeader, ['0x02c0'], [])),
      ).toThrow('withdrawals root');
    });
  });
});

describe('list root', () => {
  test('the root of an empty list is the known constant', () => {
    expect(finished(listRoot([]))).toBe('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421');
  });

  test.each([1, 2, 15, 16, 17, 127, 128, 129, 255, 256, 257, 700])(
    'the root of %d items of any size equals the root of a trie built item by item',
    (length) => {
      const items = Array.from({ length }, (_, i) => Buffer.alloc(1 + ((i * 7) % 60), i + 1));
      expect(finished(listRoot(items.map((item) => item.toString('hex'))))).toBe(naiveRoot(items));
    },
  );

  test('the roots of mainnet block 46147 follow from its transaction and its receipt', () => {
    const { rawTransaction, rawReceipt, block } = MAINNET_46147;
    expect(finished(listRoot([rawTransaction.slice(2)]))).toBe(block.transactionsRoot);
    expect(finished(listRoot([rawReceipt.slice(2)]))).toBe(block.receiptsRoot);
  });

  test('the hash of bytes equals the hash of ethers', () => {
    for (const digits of ['', '00', 'ab'.repeat(136), 'cd'.repeat(1000)]) {
      expect(keccakOfDigits(digits)).toBe(keccak256(`0x${digits}`));
    }
  });
});

describe('rlp', () => {
  const reference = (input: Parameters<typeof RLP.encode>[0]): string => Buffer.from(RLP.encode(input)).toString('hex');

  test.each([0, 1, 2, 55, 56, 57, 255, 256, 65_535, 65_536])('bytes of length %d are encoded as by @ethereumjs/rlp', (length) => {
    const bytes = Buffer.alloc(length, 0xab);
    expect(rlpBytes(bytes.toString('hex'))).toBe(reference(bytes));
  });

  test.each(['00', '7f', '80', 'ff'])('the single byte %s is encoded as by @ethereumjs/rlp', (byte) => {
    expect(rlpBytes(byte)).toBe(reference(Buffer.from(byte, 'hex')));
  });

  test.each([0, 1, 54, 55, 56, 300])('a list of %d items is encoded as by @ethereumjs/rlp', (length) => {
    const items = Array.from({ length }, () => Uint8Array.of(5));
    expect(rlpList(items.map(() => '05'))).toBe(reference(items));
  });

  test.each([0, 1, 127, 128, 255, 256, 70_000])('the integer %d is encoded as by @ethereumjs/rlp', (value) => {
    expect(rlpInteger(value)).toBe(reference(value));
  });

  test.each([
    ['0x0', '80'],
    ['0x00', '80'],
    ['0x7f', '7f'],
    ['0x080', '8180'],
    ['0xABC', '820abc'],
    [5, '05'],
  ])('the quantity %s is encoded as %s, without leading zeros', (value, encoded) => {
    expect(asQuantity(value)).toBe(encoded);
  });

  test.each(['0x', '0xg1', '1.5', null, undefined, {}, -1, `0x1${'0'.repeat(64)}`])('%p is no quantity', (value) => {
    expect(asQuantity(value)).toBeUndefined();
  });

  test('absent data is empty only where it is optional', () => {
    expect([asOptionalData(null), asOptionalData(undefined), asData(null), asOptionalData('0xzz')]).toEqual([
      '80',
      '80',
      undefined,
      undefined,
    ]);
  });

  test('an object with a missing or malformed field has no encoding, also inside a list', () => {
    const encode = asList(asFields([['a', asData]]));
    expect(encode([{ a: '0xCAFE' }])).toBe(reference([[Buffer.from('cafe', 'hex')]]));
    for (const value of [[{}], [{ a: '0x1' }], [null], [[]], { a: '0x' }, undefined]) expect(encode(value)).toBeUndefined();
  });
});

describe('the authority of an authorization', () => {
  const { address, nonce, chainId, signature } = AUTHORITY.authorizeSync({
    address: `0x${'c0'.repeat(20)}`,
    nonce: 3,
    chainId: 1,
  });
  const { r, s, yParity } = signature;
  const signed = { chainId: toQuantity(chainId), address, nonce: toQuantity(nonce), yParity: toQuantity(yParity), r, s };

  test('is the account that signed it', () => {
    expect(authorityOf(signed)).toBe(AUTHORITY.address.toLowerCase());
    expect(authorityOf({ ...signed, nonce: '0x4' })).not.toBe(AUTHORITY.address.toLowerCase());
  });

  test.each([
    ['a point that is not on the curve', { r: `0x${'f'.repeat(64)}` }],
    ['a signature of zeros', { r: '0x0', s: '0x0' }],
    ['a second form of a signature', { s: `0x${'f'.repeat(64)}` }],
    ['a parity above 1', { yParity: '0x2' }],
    ['a malformed nonce', { nonce: 'none' }],
    ['a signature above 32 bytes', { r: `0x1${'0'.repeat(64)}` }],
  ])('is null for %s', (_name, altered) => {
    expect(authorityOf({ ...signed, ...altered })).toBeNull();
  });
});

import { describe, expect, test } from '@jest/globals';
import { keccak256, Signature, Transaction, type TransactionLike, Wallet } from 'ethers';
import { decodeSignedTransaction } from '../../../../../src/domains/chain/transaction/submit.ts';

const wallet = new Wallet(`0x${'4c'.repeat(32)}`);
const to = `0x${'11'.repeat(20)}`;
const common = { to, nonce: 7, gasLimit: 21_000, value: 1n };
const legacy = { ...common, type: 0, gasPrice: 10n };
const feeMarket = { ...common, type: 2, chainId: 31_337, maxFeePerGas: 10n, maxPriorityFeePerGas: 1n };
const sign = async (fields: TransactionLike) => wallet.signTransaction(fields as never);

describe('decoding of a signed transaction', () => {
  test.each<[string, TransactionLike, bigint]>([
    ['of type legacy with replay protection', { ...legacy, chainId: 31_337 }, 31_337n],
    ['of type legacy without replay protection', legacy, 0n],
    [
      'with an access list',
      { ...legacy, type: 1, chainId: 1, accessList: [{ address: to, storageKeys: [`0x${'00'.repeat(32)}`] }] },
      1n,
    ],
    ['with fee-market prices', feeMarket, 31_337n],
    ['that creates a contract', { ...feeMarket, to: null, data: '0x6000' }, 31_337n],
  ])('decodes a signed transaction %s to its hash and chain', async (_case, fields, chainId) => {
    const bytes = await sign(fields);
    expect(decodeSignedTransaction(bytes)).toEqual({ hash: keccak256(bytes), chainId });
  });
});

describe('rejection of an invalid transaction', () => {
  const expectRejected = (bytes: string) =>
    expect(() => decodeSignedTransaction(bytes)).toThrow(expect.objectContaining({ name: 'GraphError', code: 'BAD_USER_INPUT' }));

  test.each<[string, TransactionLike]>([
    ['legacy', { ...legacy, chainId: 31_337 }],
    ['legacy without a chain', legacy],
    ['fee-market', feeMarket],
  ])('decode returns BAD_USER_INPUT for an unsigned %s transaction', (_case, fields) => {
    const bytes = Transaction.from(fields).unsignedSerialized;
    expect(() => decodeSignedTransaction(bytes)).toThrow(
      expect.objectContaining({ code: 'BAD_USER_INPUT', message: 'The transaction is not signed. Pass a signed transaction.' }),
    );
  });

  test.each([
    ['no bytes', '0x'],
    ['one zero byte', '0x00'],
    ['one type byte', '0x02'],
    ['garbage', '0xdeadbeef'],
    ['an empty list', '0xc0'],
    ['an empty fee-market list', '0x02c0'],
    ['an unknown type', '0x05c0'],
    ['a list longer than memory', '0xffffffffffffffffff'],
    ['a hash', `0x${'ab'.repeat(32)}`],
    ['a thousand nested lists', `0x${'c1'.repeat(1000)}c0`],
    ['a million zero bytes', `0x${'00'.repeat(1_000_000)}`],
  ])('decode returns BAD_USER_INPUT for %s instead of a transaction', (_case, bytes) => {
    expectRejected(bytes);
  });

  test('decode returns BAD_USER_INPUT for a truncated transaction of any length', async () => {
    const bytes = await sign(feeMarket);
    for (let length = 2; length < bytes.length; length += 2) expectRejected(bytes.slice(0, length));
  });

  test('decode returns BAD_USER_INPUT for a transaction with a trailing byte', async () => {
    expectRejected(`${await sign(feeMarket)}00`);
    expectRejected(`${await sign(legacy)}00`);
  });

  /** A signed transaction with another signature. */
  const withSignature = async (r: string, s: string) => {
    const bytes = await sign(feeMarket);
    const { signature } = Transaction.from(bytes);
    return bytes.replace(signature!.r.slice(2), r.slice(2)).replace(signature!.s.slice(2), s.slice(2));
  };

  test('decode returns BAD_USER_INPUT for a signature in the upper half, which nodes reject', async () => {
    const { s } = Signature.from(Transaction.from(await sign(feeMarket)).signature!);
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const upper = `0x${(order - BigInt(s)).toString(16).padStart(64, '0')}`;
    const { r } = Transaction.from(await sign(feeMarket)).signature!;
    expectRejected(await withSignature(r, upper));
  });

  test.each([
    ['whose r is not on the curve', `0x${'00'.repeat(31)}05`.replace(/00/, '05')],
    ['whose r is above the order of the curve', `0x${'ff'.repeat(32)}`],
  ])('decode returns BAD_USER_INPUT for a signature %s', async (_case, r) => {
    const { s } = Transaction.from(await sign(feeMarket)).signature!;
    expectRejected(await withSignature(r, s));
  });
});

test('the error of an invalid transaction does not repeat its bytes, and has a cause for the log', () => {
  expect(() => decodeSignedTransaction('0xdeadbeef')).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('deadbeef'), cause: expect.anything() }),
  );
});

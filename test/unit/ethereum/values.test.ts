import { describe, expect, test } from '@jest/globals';
import { AbiCoder } from 'ethers/abi';
import { keccak256 } from 'ethers/crypto';
import { readAccountProof } from '../../../src/ethereum/account-proof.ts';
import { countDataWords, toRpcCallObject } from '../../../src/ethereum/call-object.ts';
import { asObject, boolean, data, list, nullable, quantity, versionString, word } from '../../../src/ethereum/decoders.ts';
import { type EtherUnit, formatWei, toIsoTimestamp } from '../../../src/ethereum/hex.ts';
import type { RpcLog, RpcTransaction } from '../../../src/ethereum/rpc-types.ts';
import { arraySlot, mappingSlot } from '../../../src/ethereum/storage-slots.ts';
import { addressTopic, TRANSFER_TOPIC, tokenTransferOf } from '../../../src/ethereum/tokens.ts';
import { chainIdOf, effectiveGasPrice, effectiveTip, gasPriceOf } from '../../../src/ethereum/transaction-values.ts';
import { addressOf, hashOf } from '../../support/upstream/rpc-fixtures.ts';

describe('account values', () => {
  const solidityHash = (types: readonly string[], values: readonly unknown[]): string =>
    keccak256(AbiCoder.defaultAbiCoder().encode(types, values));

  describe('mappingSlot', () => {
    test('the slot of an address in a mapping equals the slot of Solidity', () => {
      expect(mappingSlot('0x3', [addressOf(0xabc)])).toBe(solidityHash(['address', 'uint256'], [addressOf(0xabc), 3]));
    });

    test('the slot in a nested mapping takes the outer key first', () => {
      const outer = solidityHash(['address', 'uint256'], [addressOf(1), 1]);
      expect(mappingSlot('0x1', [addressOf(1), '0x02'])).toBe(solidityHash(['uint256', 'bytes32'], [2, outer]));
    });

    test('keys of other lengths are padded on the left, and an empty key is zero', () => {
      expect(mappingSlot('0x0', ['0x'])).toBe(mappingSlot('0x0', [hashOf(0)]));
      expect(mappingSlot(hashOf(5), ['0x0a'])).toBe(mappingSlot('0x5', [hashOf(10)]));
    });

    test.each([
      ['a key of 33 bytes', [hashOf(1), `${hashOf(1)}00`], 'A key in `keys` has 33 bytes. Pass keys of at most 32 bytes.'],
      ['no keys', [], '`keys` has 0 keys. Pass 1 to 8, one for each level.'],
      ['nine keys', Array(9).fill('0x01'), '`keys` has 9 keys. Pass 1 to 8, one for each level.'],
    ])('%s fails with BAD_USER_INPUT', (_case, keys, message) => {
      expect(() => mappingSlot('0x0', keys)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT', message }));
    });
  });

  describe('arraySlot', () => {
    const start = BigInt(solidityHash(['uint256'], [7]));
    const element = { slot: '0x7', index: '0x5', isFixed: false, elementSize: 32, word: 0 };

    test.each<[string, Partial<Parameters<typeof arraySlot>[0]>, bigint]>([
      ['uint256[]', {}, start + 5n],
      ['uint64[], with four elements in a slot', { elementSize: 8 }, start + 1n],
      ['uint96[], with two elements in a slot', { elementSize: 12, index: '0x3' }, start + 1n],
      ['address[], with one element in a slot', { elementSize: 20 }, start + 5n],
      ['a struct of three slots', { elementSize: 96, word: 2 }, start + 17n],
      ['uint256[8]', { isFixed: true }, 12n],
      ['uint8[64]', { isFixed: true, elementSize: 1, index: '0x21' }, 8n],
      ['a slot above 2^256, which wraps', { slot: `0x${'f'.repeat(64)}`, isFixed: true, index: '0x1' }, 0n],
    ])('the slot of an element of %s', (_type, given, slot) => {
      expect(BigInt(arraySlot({ ...element, ...given }))).toBe(BigInt.asUintN(256, slot));
      expect(arraySlot({ ...element, ...given })).toHaveLength(66);
    });

    test.each([
      ['an element of no bytes', { elementSize: 0 }, 'Invalid `elementSize`. Pass a number of bytes from 1 to 32768.'],
      ['a word that the element lacks', { word: 1 }, 'Invalid `word`. Pass a number from 0 to 0: the element has 1 of 32 bytes.'],
    ])('%s fails with BAD_USER_INPUT', (_case, given, message) => {
      expect(() => arraySlot({ ...element, ...given })).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT', message }));
    });
  });

  describe('readAccountProof', () => {
    const proof = (changes: object = {}) => ({
      ...{ address: addressOf(0xa), balance: '0x05', codeHash: hashOf(1), nonce: '0x1', storageHash: hashOf(2) },
      accountProof: ['0xCAFE'],
      storageProof: [
        { key: hashOf(0), value: '0x0', proof: [] },
        { key: '0x1', value: hashOf(7), proof: ['0xF8'] },
      ],
      ...changes,
    });
    const KEYS = [hashOf(0), hashOf(1)];

    test('keys of 32 bytes and minimal keys are read alike, in the order of the request', () => {
      expect(readAccountProof(proof(), addressOf(0xa), KEYS)).toEqual({
        ...{ address: addressOf(0xa), balance: '0x5', codeHash: hashOf(1), nonce: '0x1', storageHash: hashOf(2) },
        accountProof: ['0xcafe'],
        storageProof: [
          { key: '0x0', value: '0x0', proof: [] },
          { key: '0x1', value: '0x7', proof: ['0xf8'] },
        ],
      });
    });

    test.each([
      ['the proof of another account', { address: addressOf(0xb) }],
      ['too few storage keys', { storageProof: [] }],
      ['storage keys in another order', { storageProof: proof().storageProof.toReversed() }],
      ['a storage key that is no number', { storageProof: [{ key: 'x', value: '0x0', proof: [] }, proof().storageProof[1]] }],
      ['no list of storage keys', { storageProof: null }],
      ['no account proof', { accountProof: null }],
      ['a node that is no bytes', { accountProof: ['0x1'] }],
      ['no code hash', { codeHash: undefined }],
    ])('%s is rejected', (_case, changes) => {
      expect(() => readAccountProof(proof(changes), addressOf(0xa), KEYS)).toThrow(
        expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }),
      );
    });
  });

  describe('chainIdOf', () => {
    test.each([
      ['its own chain id', { chainId: '0x5', v: '0x26', type: '0x0' }, '0x5'],
      ['v, of a legacy transaction without a chain id', { v: '0x26', type: '0x0' }, '0x1'],
      ['v of a transaction without a type', { v: '0xf4f6' }, '0x7a69'],
      ['v in place of a chain id of zero', { chainId: '0x0', v: '0x25' }, '0x1'],
    ])('the chain id of a transaction is %s', (_case, transaction, chainId) => {
      expect(chainIdOf(transaction)).toBe(chainId);
    });

    test.each([{ v: '0x1b' }, { v: '0x1c', type: '0x0' }, { v: '0x1', type: '0x2' }, { type: '0x7e' }])(
      'the chain id of %j is null',
      (transaction) => {
        expect(chainIdOf(transaction)).toBeNull();
      },
    );
  });

  test('gasPriceOf is zero without any price, and undefined if only the paid price is missing', () => {
    expect(gasPriceOf({ gasPrice: '0x7', maxFeePerGas: '0x9' })).toBe('0x7');
    expect(gasPriceOf({ type: '0x7e' })).toBe('0x0');
    expect(gasPriceOf({ maxFeePerGas: '0x9' })).toBeUndefined();
  });
});

describe('call object', () => {
  test('toRpcCallObject omits null fields and writes the others in a fixed order', () => {
    const call = { data: '0x01', value: '0x2', to: `0x${'22'.repeat(20)}`, from: null, gas: undefined };
    expect(JSON.stringify(toRpcCallObject(call))).toBe(`{"to":"0x${'22'.repeat(20)}","value":"0x2","data":"0x01"}`);
  });

  test.each<[unknown, number]>([
    [undefined, 0],
    [null, 0],
    ['0x', 0],
    ['0x01', 1],
    [`0x${'01'.repeat(32)}`, 1],
    [`0x${'01'.repeat(33)}`, 2],
  ])('countDataWords of %s returns %i', (data, words) => {
    expect(countDataWords(data)).toBe(words);
  });
});

describe('decoders', () => {
  type Decode = (value: unknown) => unknown;
  const zeros = (digits: string) => `0x${digits.padStart(64, '0')}`;

  test.each<[string, Decode, unknown, unknown]>([
    ['a standard quantity', quantity, '0x2a', '0x2a'],
    ['a quantity with leading zeros and upper case', quantity, '0x002A', '0x2a'],
    ['a quantity as a JSON number', quantity, 42, '0x2a'],
    ['bytes in lower case', data, '0xcafe', '0xcafe'],
    ['bytes in upper case', data, '0xCAFE', '0xcafe'],
    ['no bytes', data, '0x', '0x'],
    ['a word of 32 bytes', word, zeros('2a'), zeros('2a')],
    ['a short word', word, '0x2A', zeros('2a')],
    ['a word with an odd number of digits', word, '0x0', zeros('')],
    ['an empty word', word, '0x', zeros('')],
    ['true', boolean, true, true],
    ['an id', versionString, '1', '1'],
    ['a version', versionString, 'eth/68', 'eth/68'],
    ['a version that is a number', versionString, 65, '65'],
    ['an object with any properties', asObject, { any: 'thing' }, { any: 'thing' }],
    ['an empty list', list(data), [], []],
    ['a list of bytes', list(data), ['0xCA', '0xfe'], ['0xca', '0xfe']],
    ['null for a nullable decoder', nullable(data), null, null],
    ['undefined for a nullable decoder', nullable(data), undefined, null],
    ['a value for a nullable decoder', nullable(data), '0xca', '0xca'],
  ])('a decoder reads %s', (_case, decode, value, result) => {
    expect(decode(value)).toEqual(result);
  });

  test.each<[string, Decode, unknown]>([
    ['a quantity above 256 bits', quantity, `0x1${'0'.repeat(64)}`],
    ['a quantity that is a bare prefix', quantity, '0x'],
    ['a quantity that is null', quantity, null],
    ['a negative quantity', quantity, -1],
    ['half a byte', data, '0xc'],
    ['bytes that are null', data, null],
    ['a word of 33 bytes', word, `0x${'00'.repeat(33)}`],
    ['a word that is a number', word, 0],
    ['a boolean in quotes', boolean, 'true'],
    ['a boolean that is 1', boolean, 1],
    ['a version that is an object', versionString, {}],
    ['a version that is null', versionString, null],
    ['a version that is a sentence', versionString, 'see http://node.example/v2/key'],
    ['a version that is an address', versionString, 'node.example/v2/0123456789abcdef'],
    ['an object that is null', asObject, null],
    ['an object that is a list', asObject, []],
    ['an object that is text', asObject, '{}'],
    ['a list that is null', list(data), null],
    ['a list that is an object', list(data), { length: 0 }],
    ['a list with one invalid item', list(data), ['0xca', null]],
    ['an invalid value for a nullable decoder', nullable(data), false],
  ])('a decoder throws UPSTREAM_BAD_RESPONSE for %s', (_case, decode, value) => {
    expect(() => decode(value)).toThrow(expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }));
  });

  test('the error of a decoder does not contain the value', () => {
    expect(() => data('a text with a key in it')).toThrow('Invalid result of the node: expected bytes.');
  });
});

describe('fees', () => {
  const gwei = (amount: number) => `0x${(BigInt(amount) * 10n ** 9n).toString(16)}`;
  const legacy = (gasPrice: number) => ({ gasPrice: gwei(gasPrice) });
  const eip1559 = (max: number, priority: number, gasPrice = max) => ({
    gasPrice: gwei(gasPrice),
    maxFeePerGas: gwei(max),
    maxPriorityFeePerGas: gwei(priority),
  });

  test.each<[string, Partial<RpcTransaction>, string | null | undefined, string | null]>([
    ['a legacy transaction before London returns the gas price', legacy(20), null, gwei(20)],
    ['a legacy transaction without a base fee returns the gas price', legacy(20), undefined, gwei(20)],
    ['a legacy transaction returns the gas price minus the base fee', legacy(20), gwei(15), gwei(5)],
    ['a legacy transaction at the base fee returns zero', legacy(15), gwei(15), '0x0'],
    ['a legacy transaction below the base fee returns null', legacy(14), gwei(15), null],
    ['an EIP-1559 transaction with a high maximum fee returns the priority fee', eip1559(100, 2), gwei(15), gwei(2)],
    [
      'an EIP-1559 transaction with a low maximum fee returns the maximum fee minus the base fee',
      eip1559(16, 2),
      gwei(15),
      gwei(1),
    ],
    [
      'an EIP-1559 transaction with a maximum fee of base fee and priority fee returns the priority fee',
      eip1559(17, 2),
      gwei(15),
      gwei(2),
    ],
    ['an EIP-1559 transaction without a priority fee returns zero', eip1559(100, 0), gwei(15), '0x0'],
    ['a transaction without a price returns null in a block with a base fee', {}, gwei(1), null],
    ['a transaction without a price returns zero without a base fee', {}, null, '0x0'],
    ['an EIP-1559 transaction at the base fee returns zero', eip1559(15, 2), gwei(15), '0x0'],
    ['an EIP-1559 transaction below the base fee returns null', eip1559(14, 2), gwei(15), null],
    [
      'a free system transaction of a rollup returns null',
      { ...legacy(0), maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' },
      gwei(1),
      null,
    ],
    ['a transaction without any price returns null', {}, '0x1', null],
    [
      'a legacy transaction with null EIP-1559 fees uses the gas price',
      { ...legacy(20), maxFeePerGas: null, maxPriorityFeePerGas: null },
      gwei(15),
      gwei(5),
    ],
    [
      'a tip above 2^64 wei is computed without loss of precision',
      { gasPrice: `0x${'f'.repeat(32)}` },
      '0x1',
      `0x${'f'.repeat(31)}e`,
    ],
  ])('effectiveTip for %s', (_case, transaction, baseFee, tip) => {
    expect(effectiveTip(transaction as RpcTransaction, baseFee)).toBe(tip);
  });

  test.each<[string, Partial<RpcTransaction>, string]>([
    ['a fee-market transaction without a gas price and a priority fee', { maxFeePerGas: '0x9' }, '0x1'],
    ['an invalid gas price', { gasPrice: 'free' }, '0x1'],
    ['an invalid base fee', legacy(20), '0x'],
  ])('effectiveTip throws UPSTREAM_BAD_RESPONSE for %s', (_case, transaction, baseFee) => {
    expect(() => effectiveTip(transaction as RpcTransaction, baseFee)).toThrow(
      expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }),
    );
  });

  test.each<[string, Partial<RpcTransaction>, string | null, string | null]>([
    ['a legacy transaction returns its own', legacy(20), gwei(15), gwei(20)],
    ['an EIP-1559 transaction with a high maximum fee returns base fee plus priority fee', eip1559(100, 2), gwei(15), gwei(17)],
    ['an EIP-1559 transaction with a low maximum fee returns the maximum fee', eip1559(16, 2), gwei(15), gwei(16)],
    ['an EIP-1559 transaction below the base fee returns null', eip1559(14, 2), gwei(15), null],
  ])('effectiveGasPrice for %s', (_case, transaction, baseFee, expected) => {
    expect(effectiveGasPrice(transaction as RpcTransaction, baseFee)).toBe(expected);
  });
});

describe('time', () => {
  test.each([
    ['the epoch', '0x0', '1970-01-01T00:00:00.000Z'],
    ['the first block of mainnet after genesis', '0x55ba4224', '2015-07-30T15:26:28.000Z'],
    ['a second beyond 32 bits', '0x100000000', '2106-02-07T06:28:16.000Z'],
    ['the last second of the year 9999', `0x${253_402_300_799n.toString(16)}`, '9999-12-31T23:59:59.000Z'],
    ['milliseconds', `0x${1_795_000_000_000n.toString(16)}`, '9999-12-31T23:59:59.000Z'],
    ['the largest quantity', `0x${'f'.repeat(64)}`, '9999-12-31T23:59:59.000Z'],
  ])('toIsoTimestamp formats %s', (_case, timestamp, iso) => {
    expect(toIsoTimestamp(timestamp)).toBe(iso);
  });

  test('toIsoTimestamp throws UPSTREAM_BAD_RESPONSE for a text that is not a number', () => {
    expect(() => toIsoTimestamp('noon')).toThrow(expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }));
  });
});

describe('token transfer', () => {
  const FROM = `0x${'Ab'.repeat(20)}`;
  const TO = `0x${'0'.repeat(39)}1`;
  const AMOUNT = `0x${'f'.repeat(64)}`;
  const log = (topics: string[], data: string): RpcLog => ({ topics, data }) as unknown as RpcLog;

  test('a transfer has the accounts of its topics in lower case, and an amount of up to 256 bits', () => {
    const event = log([TRANSFER_TOPIC, addressTopic(FROM), addressTopic(TO)], AMOUNT);
    expect(tokenTransferOf(event)).toEqual({ from: FROM.toLowerCase(), to: TO, amount: AMOUNT, log: event });
  });

  test.each<[string, string[], string]>([
    ['of an NFT, whose id is indexed', [TRANSFER_TOPIC, addressTopic(FROM), addressTopic(TO), AMOUNT], '0x'],
    ['without indexed accounts', [TRANSFER_TOPIC], `0x${'0'.repeat(192)}`],
    ['of another name', [AMOUNT, addressTopic(FROM), addressTopic(TO)], AMOUNT],
    ['with a topic that is no address', [TRANSFER_TOPIC, AMOUNT, addressTopic(TO)], AMOUNT],
    ['with more data', [TRANSFER_TOPIC, addressTopic(FROM), addressTopic(TO)], `${AMOUNT}00`],
    ['without topics', [], AMOUNT],
  ])('an event %s is no transfer', (_case, topics, data) => {
    expect(tokenTransferOf(log(topics, data))).toBeUndefined();
  });

  test('the log of a transfer of ether (EIP-7708) is no transfer of a token', () => {
    const event = log([TRANSFER_TOPIC, addressTopic(FROM), addressTopic(TO)], AMOUNT);
    expect(tokenTransferOf({ ...event, address: `0x${'f'.repeat(39)}e` })).toBeUndefined();
  });
});

describe('formatWei', () => {
  test.each<[string, EtherUnit, string]>([
    ['0x0', 'ETHER', '0'],
    ['0x0', 'WEI', '0'],
    ['0x1', 'ETHER', '0.000000000000000001'],
    ['0x1', 'GWEI', '0.000000001'],
    ['0x1', 'WEI', '1'],
    ['0xde0b6b3a7640000', 'ETHER', '1'],
    ['0x14d1120d7b160000', 'ETHER', '1.5'],
    ['0x3b9aca01', 'GWEI', '1.000000001'],
    [`0x${'f'.repeat(64)}`, 'ETHER', '115792089237316195423570985008687907853269984665640564039457.584007913129639935'],
    [`0x${'f'.repeat(64)}`, 'WEI', '115792089237316195423570985008687907853269984665640564039457584007913129639935'],
  ])('%s wei in %s is %s', (wei, unit, text) => {
    expect(formatWei(wei, unit)).toBe(text);
  });

  test.each(['0x', '12', null, undefined])('%p is rejected as a malformed value of the node', (value) => {
    expect(() => formatWei(value as string, 'ETHER')).toThrow('expected a number');
  });
});

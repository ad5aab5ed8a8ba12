import { expect, test } from '@jest/globals';
import { revertText } from '../../../explorer/data/revert-text.ts';
import { transfersOf } from '../../../explorer/data/transfers.ts';

const token = { address: '0xt', symbol: 'MANA', decimals: 18 };
const log = (id: string, signature: string, third: string, ofToken: typeof token | null = token) => ({
  id,
  account: { address: '0xc', label: 'Wizards', token: ofToken },
  decoded: {
    signature,
    arguments: ['from', 'to', third].map((name, index) => ({ name, value: String(index) })),
  },
});
const TRANSFER = 'Transfer(address,address,uint256)';

test('transfers of a transaction are its value and the events of tokens', () => {
  const logs = [
    log('a', TRANSFER, 'value'),
    log('b', 'Approval(address,address,uint256)', 'value'),
    log('c', TRANSFER, 'tokenId', null),
  ];
  const transfers = transfersOf({ valueIn: '1.5', from: { address: '0x1' }, to: { address: '0x2' }, logs });
  expect(transfers).toEqual([
    { key: 'ether', from: '0x1', to: '0x2', amount: '1.5', token: null, isId: false },
    { key: 'a', from: '0', to: '1', amount: '2', token, isId: false },
    { key: 'c', from: '0', to: '1', amount: '2', token: { address: '0xc', symbol: 'Wizards', decimals: null }, isId: true },
  ]);
});

test('transaction without value and logs has no transfers', () => {
  expect(transfersOf({ valueIn: '0', from: { address: '0x1' }, to: null, logs: null })).toEqual([]);
});

test('text of a revert is that of Error(string), and null for any other payload', () => {
  const word = (hex: string) => hex.padStart(64, '0');
  const text = Buffer.from('insufficient balance').toString('hex');
  expect(revertText(`0x08c379a0${word('20')}${word('14')}${text.padEnd(64, '0')}`)).toBe('insufficient balance');
  expect(revertText('0x')).toBeNull();
  expect(revertText(`0x4e487b71${word('11')}`)).toBeNull();
});

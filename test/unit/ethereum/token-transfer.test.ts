import { expect, test } from '@jest/globals';
import type { RpcLog } from '../../../src/ethereum/rpc-types.ts';
import { addressTopic, TRANSFER_TOPIC, tokenTransferOf } from '../../../src/ethereum/tokens.ts';

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

import { expect, test } from '@jest/globals';
import { addressTopic, TRANSFER_TOPIC, tokenTransferOf } from '../../../src/ethereum/tokens.ts';
import { addressOf, logFixture } from '../../support/upstream/rpc-fixtures.ts';

test.each(['ff', 'FF'])('a log with the amount %s is a transfer, in whichever case the node writes it', (digits) => {
  const topics = [TRANSFER_TOPIC, addressTopic(addressOf(1)), addressTopic(addressOf(2))];
  const log = logFixture({ topics, data: `0x${'0'.repeat(62)}${digits}` });
  expect(tokenTransferOf(log as never)).toMatchObject({ from: addressOf(1), to: addressOf(2), amount: '0xff' });
});

import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createBlockWriter } from '../../../../../src/domains/webhooks/derivation/block-writer.ts';
import { insertBlock } from '../../../../../src/domains/webhooks/derivation/derived-blocks.ts';
import { WITH_EMPTY_BODY } from '../../../../support/webhooks/delivery-setup.ts';
import { startDerivationSetup, usePostgres } from '../../../../support/webhooks/derivation-setup.ts';

usePostgres();

test('a delivery of an inactive webhook does not delay the other deliveries that a block confirms', async () => {
  const { database, register, deliveries } = await startDerivationSetup();
  await register({ id: 'active' });
  await register({ id: 'inactive' });
  await database.query(`update webhooks set active = false where id = 'inactive'`);
  await insertBlock(database.query, { height: 1, hash: '0x1', parentHash: '0x0' }, true);
  await database.query(
    `${WITH_EMPTY_BODY} insert into waiting_deliveries (id, height, due_height, webhook_id, body_hash)
     select to_char(n, '0000'), 1, 2, case n when 0 then 'inactive' else 'active' end, '\\x00' from generate_series(0, 1100) as n`,
  );
  const status = { isLeading: true, height: 1, waitingSince: undefined, skipped: { count: 0, at: 0 }, unwatched: 0 };
  const writer = createBlockWriter({ database, network: 'ETH_MAINNET', status, log: pino({ level: 'silent' }) });
  await writer.append({ height: 2, hash: '0x2', parentHash: '0x1' }, '0x1');
  expect(await database.query('select id from waiting_deliveries')).toEqual([]);
  expect(await deliveries()).toHaveLength(1_100);
});

import { expect, test } from '@jest/globals';
import type { Query } from '../../../../../src/database/statements.ts';
import { createBlockWriter } from '../../../../../src/domains/webhooks/derivation/block-writer.ts';
import { insertBlock } from '../../../../../src/domains/webhooks/derivation/derived-blocks.ts';
import { errorNotification } from '../../../../../src/domains/webhooks/derivation/derived-notification.ts';
import { notify } from '../../../../../src/domains/webhooks/derivation/notifier.ts';
import { DEFAULT_CHAIN, queryOfChain } from '../../../../../src/domains/webhooks/store/chain-statements.ts';
import { lockInserts } from '../../../../../src/domains/webhooks/store/event-writes.ts';
import { log } from '../../../../support/silent-log.ts';
import { WITH_EMPTY_BODY } from '../../../../support/webhooks/delivery-setup.ts';
import { startDerivationSetup, usePostgres } from '../../../../support/webhooks/derivation-setup.ts';

usePostgres();

test('a delivery of an inactive webhook does not delay the other deliveries that a block confirms', async () => {
  const { database, statements, register, deliveries } = await startDerivationSetup();
  await register({ id: 'active' });
  await register({ id: 'inactive' });
  await database.query(`update webhooks set active = false where id = 'inactive'`);
  await insertBlock(statements.query, { height: 1, hash: '0x1', parentHash: '0x0' }, true);
  await database.query(
    `${WITH_EMPTY_BODY} insert into waiting_deliveries (id, height, due_height, webhook_id, body_hash)
     select to_char(n, '0000'), 1, 2, case n when 0 then 'inactive' else 'active' end, '\\x00' from generate_series(0, 1100) as n`,
  );
  const status = { isLeading: true, height: 1, waitingSince: undefined, skipped: { count: 0, at: 0 }, unwatched: 0 };
  const writer = createBlockWriter({ database: { ...database, ...statements }, network: 'ETH_MAINNET', status, log });
  await writer.append({ height: 2, hash: '0x2', parentHash: '0x1' }, '0x1');
  expect(await database.query('select id from waiting_deliveries')).toEqual([]);
  expect(await deliveries()).toHaveLength(1_100);
});

test('the deliveries of a notification are inserted in statements of at most 1,000', async () => {
  const { database } = await startDerivationSetup();
  const inserted: number[] = [];
  await database.transaction(async (query) => {
    await lockInserts(query);
    const recording: Query = (text, values = []) => {
      if (text.includes('insert into webhook_deliveries')) inserted.push((values[0] as string[]).length);
      return query(text, values);
    };
    const registrations = Array.from({ length: 2_500 }, (_, n) => ({ id: `w${n}`, confirmations: 1 }));
    const place = { app: 'shop', timestamp: '2026-11-01T12:00:00.000Z' };
    await notify(queryOfChain(recording, DEFAULT_CHAIN), 'ETH_MAINNET', [
      errorNotification(place, null, 'the quota is used up', registrations),
    ]);
  });
  expect(inserted).toEqual([1_000, 1_000, 500]);
});

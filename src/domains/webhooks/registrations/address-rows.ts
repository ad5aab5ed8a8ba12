import type { Data } from '../../../ethereum/hex.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { Query } from '../store/statements.ts';

/** Maximum number of addresses that one statement reads for responses. */
export const MAX_READ_ADDRESSES = 100_000;

/** Adds addresses to a registration; those that it has are left as they are. */
export async function insertAddresses(query: Query, registrationId: string, addresses: readonly Data[]): Promise<void> {
  if (addresses.length === 0) return;
  await query(
    'insert into webhook_addresses select $1, address from unnest($2::text[]) as new (address) on conflict do nothing',
    [registrationId, addresses],
  );
}

/**
 * The addresses of registrations, sorted, in the order of the ids. One statement. Rejects with RESULT_TOO_LARGE for more than `maxAddresses` of
 * all registrations together.
 */
export async function readAddresses(
  query: Query,
  ids: readonly string[],
  maxAddresses: number,
): Promise<readonly (readonly Data[])[]> {
  // One text for each registration: decoding an array of PostgreSQL takes several times longer.
  const rows = await query<{ webhook_id: string; count: number; addresses: string }>(
    `select webhook_id, count(*)::integer as count, string_agg(address, ',' order by address) as addresses
     from (select webhook_id, address from webhook_addresses where webhook_id = any($1::text[]) limit $2) as read
     group by webhook_id`,
    [ids, maxAddresses + 1],
  );
  const actual = rows.reduce((sum, { count }) => sum + count, 0);
  if (actual > maxAddresses) {
    const message = `The webhooks of the page have more than ${maxAddresses} addresses. Select \`addresses\` of fewer webhooks.`;
    throw new GraphError('RESULT_TOO_LARGE', message, { limit: maxAddresses, actual });
  }
  const byId = new Map(rows.map(({ webhook_id, addresses }) => [webhook_id, addresses.split(',')]));
  return ids.map((id) => byId.get(id) ?? []);
}

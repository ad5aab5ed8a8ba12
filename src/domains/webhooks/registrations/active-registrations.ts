import { isoTime, type Query } from '../../../database/statements.ts';
import type { Data } from '../../../ethereum/hex.ts';
import type { ChainQuery } from '../store/chain-statements.ts';
import type { WebhookRegistration } from './model.ts';

/** The columns of a `WebhookRegistration`, without the tokens. */
export const REGISTRATION_COLUMNS = `webhooks.id, app, type, url, active, gas_price as "gasPrice", confirmations,
  ${isoTime('webhooks.created_at')} as "createdAt", case when type = 'GAS_PRICE' then '{}'::text[] end as addresses`;

/** Active registrations of one application and type that contain an equal subset of the given addresses. */
export interface ActiveGroup extends Pick<WebhookRegistration, 'app' | 'type'> {
  readonly registrations: readonly Pick<WebhookRegistration, 'id' | 'confirmations'>[];
  readonly matched: readonly Data[];
}

/**
 * Returns active registrations, except registrations of type GAS_PRICE, of one application or of all. The result has
 * one group for each application, type and subset of these lower-case addresses that registrations contain.
 */
export async function activeFor(query: ChainQuery, addresses: readonly Data[], app?: string): Promise<readonly ActiveGroup[]> {
  if (addresses.length === 0) return [];
  // Positions instead of addresses: an application can have a million of them.
  const rows = await query<{ app: string; type: ActiveGroup['type']; ids: string[]; confirmations: number[]; positions: string }>(
    `select app, type, positions, array_agg(id order by created_at, id) as ids,
       array_agg(confirmations order by created_at, id) as confirmations
     from (select webhook_id, string_agg(position::text, ',' order by position) as positions
           from webhook_addresses join unnest($1::text[]) with ordinality as wanted (address, position) using (address)
           group by webhook_id) as match
       join webhooks on webhooks.id = match.webhook_id
     where webhooks.active and chain_id = $3 and ($2::text is null or app = $2)
     group by app, type, positions order by min(created_at), min(id)`,
    [addresses, app ?? null, query.chainId],
  );
  return rows.map(({ app: owner, type, ids, confirmations, positions }) => ({
    app: owner,
    type,
    registrations: ids.map((id, i) => ({ id, confirmations: confirmations[i]! })),
    matched: positions.split(',').map((position) => addresses[Number(position) - 1]!),
  }));
}

/** The active registrations of every application; of one type, or of all types. */
export async function activeRegistrations(query: ChainQuery, type?: WebhookRegistration['type']) {
  return query<WebhookRegistration>(
    `select ${REGISTRATION_COLUMNS} from webhooks
     where active and chain_id = $2 and ($1::text is null or type = $1) order by created_at, id`,
    [type ?? null, query.chainId],
  );
}

/** Returns the addresses in this lower-case list that active registrations contain; of one type, or of all types. */
export async function registeredAddresses(query: ChainQuery, addresses: readonly Data[], type?: WebhookRegistration['type']) {
  const statement = `select distinct address from webhook_addresses join webhooks on webhooks.id = webhook_id
     where active and chain_id = $3 and address = any($1::text[]) and ($2::text is null or type = $2)`;
  const rows = await query<{ address: Data }>(statement, [addresses, type ?? null, query.chainId]);
  return new Set(rows.map(({ address }) => address));
}

/** The destination of the deliveries of a registration. */
export type DeliveryTarget = NonNullable<Awaited<ReturnType<typeof deliveryTarget>>>;

/** The current URL and tokens for the deliveries of a registration; undefined once the registration is deleted. */
export async function deliveryTarget(query: Query, registrationId: string) {
  const [row] = await query<{ url: string; active: boolean; token: string; previous: string | null }>(
    `select url, active, token, case when previous_token_until > now() then previous_token end as previous
     from webhooks where id = $1`,
    [registrationId],
  );
  return row && { url: row.url, active: row.active, tokens: { current: row.token, previous: row.previous } };
}

/** Stops notifications to a registration that still has this URL until its owner activates it again. */
export async function deactivate(query: Query, registrationId: string, url: string): Promise<void> {
  await query('update webhooks set active = false where id = $1 and url = $2', [registrationId, url]);
}

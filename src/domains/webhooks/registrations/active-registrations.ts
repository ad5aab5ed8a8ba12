import type { Data } from '../../../ethereum/hex.ts';
import type { Query } from '../store/query.ts';
import type { SigningTokens, WebhookRegistration } from './model.ts';
import { REGISTRATION_COLUMNS, type RegistrationRow, toRegistration } from './registration-rows.ts';

/** An active registration, and which of the addresses it contains. */
export interface MatchedRegistration {
  readonly registration: WebhookRegistration;
  readonly matched: readonly Data[];
}

/** Where a registration is delivered. */
export interface DeliveryTarget {
  readonly url: string;
  readonly active: boolean;
  readonly tokens: SigningTokens;
}

/** The active registrations, GAS_PRICE excepted, that contain any of these lower-case addresses, each with those that it contains, sorted. */
export async function activeFor(query: Query, addresses: readonly Data[]): Promise<readonly MatchedRegistration[]> {
  if (addresses.length === 0) return [];
  const rows = await query<RegistrationRow & { readonly matched: string }>(
    `select ${REGISTRATION_COLUMNS}, match.addresses as matched
     from (select webhook_id, string_agg(address, ',' order by address) as addresses from webhook_addresses
           where address = any($1::text[]) group by webhook_id) as match
       join webhooks on webhooks.id = match.webhook_id
     where webhooks.active order by webhooks.created_at, webhooks.id`,
    [addresses],
  );
  return rows.map((row) => ({ registration: toRegistration(row), matched: row.matched.split(',') }));
}

/** The active registrations of type GAS_PRICE. */
export async function gasPriceRegistrations(query: Query): Promise<readonly WebhookRegistration[]> {
  const rows = await query<RegistrationRow>(
    `select ${REGISTRATION_COLUMNS} from webhooks where active and type = 'GAS_PRICE' order by created_at, id`,
  );
  return rows.map(toRegistration);
}

/** The active registrations of every type and application. */
export async function allActive(query: Query): Promise<readonly WebhookRegistration[]> {
  const rows = await query<RegistrationRow>(`select ${REGISTRATION_COLUMNS} from webhooks where active order by created_at, id`);
  return rows.map(toRegistration);
}

/** Where and with which tokens a registration is delivered now; undefined once it is deleted. */
export async function deliveryTarget(query: Query, registrationId: string): Promise<DeliveryTarget | undefined> {
  const [row] = await query<{ url: string; active: boolean; token: string; previous: string | null }>(
    `select url, active, token, case when previous_token_until > now() then previous_token end as previous
     from webhooks where id = $1`,
    [registrationId],
  );
  return row && { url: row.url, active: row.active, tokens: { current: row.token, previous: row.previous } };
}

/** Stops notifications to a registration until its owner activates it again. */
export async function deactivate(query: Query, registrationId: string): Promise<void> {
  await query('update webhooks set active = false where id = $1', [registrationId]);
}

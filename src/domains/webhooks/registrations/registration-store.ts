import { randomBytes } from 'node:crypto';
import { isStorable, type Query } from '../../../database/statements.ts';
import type { Data } from '../../../ethereum/hex.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { ChainStatements } from '../store/chain-statements.ts';
import { REGISTRATION_COLUMNS } from './active-registrations.ts';
import type { WebhookRegistration } from './model.ts';
import { checkAddressCount, invalidInput, type NewRegistration, type RegistrationChanges } from './validation.ts';

/**
 * First key of the advisory locks by application; locks with two keys do not conflict with the locks of ADVISORY_LOCKS.
 */
const APP_LOCK = 7_461;

/** Maximum number of rows that one statement deletes, so that no statement reaches the timeout. */
const DELETED_ROWS = 10_000;

/** The application whose registrations are visible; undefined for all applications. */
export type RegistrationScope = string | undefined;

/** Parameters: the application or null, and the chain. */
const SCOPE_CONDITION = '($1::text is null or webhooks.app = $1) and webhooks.chain_id = $2';

/** The registrations of one chain in PostgreSQL. All functions reject with STORE_UNAVAILABLE when the database does not respond. */
export class RegistrationStore {
  readonly #database: ChainStatements;

  constructor(database: ChainStatements) {
    this.#database = database;
  }

  /** Stores a registration of an application. Rejects with BAD_USER_INPUT if the application has `maxWebhooks`. */
  create(
    app: string,
    { type, url, gasPrice, confirmations, addresses }: NewRegistration,
    { token, maxWebhooks }: { readonly token: string; readonly maxWebhooks: number },
  ): Promise<WebhookRegistration> {
    const id = randomBytes(16).toString('hex');
    return this.#database.transaction(async (query) => {
      // Only one writer for each application, so that the count below includes every other registration.
      await query('select pg_advisory_xact_lock($1, hashtext($2))', [APP_LOCK, app]);
      const [row] = await query<{ count: number }>('select count(*)::integer as count from webhooks where app = $1', [app]);
      if (row!.count >= maxWebhooks) {
        const message = `The application has ${maxWebhooks} webhooks, which is the limit. Delete one before you create another.`;
        const limit = { limit: maxWebhooks, actual: row!.count + 1, setting: 'MAX_WEBHOOKS' };
        throw new GraphError('BAD_USER_INPUT', message, limit);
      }
      const [created] = await query<WebhookRegistration>(
        // The transaction has begun before the lock: with its time, the webhook could be behind the cursor of a page.
        `insert into webhooks (id, app, type, url, gas_price, confirmations, token, chain_id, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp())
         returning ${REGISTRATION_COLUMNS}`,
        [id, app, type, url, gasPrice && JSON.stringify(gasPrice), confirmations, token, this.#database.query.chainId],
      );
      await insertAddresses(query, id, addresses);
      return created!;
    });
  }

  /**
   * Changes a registration; undefined if the scope does not have it. Rejects with BAD_USER_INPUT if it would have no address or more than
   * `maxAddresses`.
   */
  update(
    scope: RegistrationScope,
    id: string,
    { url, active, gasPrice, confirmations, addAddresses, removeAddresses }: RegistrationChanges,
    maxAddresses: number,
  ): Promise<WebhookRegistration | undefined> {
    return this.#database.transaction(async (query) => {
      // Locks the row, so that the count below includes the addresses of other updates.
      const [row] = await query<WebhookRegistration>(
        `update webhooks set url = coalesce($4, url), active = coalesce($5, active), gas_price = coalesce($6::jsonb, gas_price),
           confirmations = coalesce($7, confirmations)
         where ${SCOPE_CONDITION} and id = $3 returning ${REGISTRATION_COLUMNS}`,
        [
          ...this.#valuesOf(scope),
          id,
          url ?? null,
          active ?? null,
          gasPrice ? JSON.stringify(gasPrice) : null,
          confirmations ?? null,
        ],
      );
      if (!row) return undefined;
      if (addAddresses.length + removeAddresses.length > 0) {
        await query('delete from webhook_addresses where webhook_id = $1 and address = any($2::text[])', [id, removeAddresses]);
        await insertAddresses(query, id, addAddresses);
        const statement = 'select count(*)::integer as count from webhook_addresses where webhook_id = $1';
        const { count } = (await query<{ count: number }>(statement, [id]))[0]!;
        checkAddressCount('addAddresses', count, maxAddresses);
        if (count === 0)
          throw invalidInput('removeAddresses', `${row.type} needs at least one address. Leave one, or add another.`);
      }
      return row;
    });
  }

  /** Deletes a registration with its deliveries. Resolves with whether the scope had it. */
  async remove(scope: RegistrationScope, id: string): Promise<boolean> {
    if (!isStorable(id)) return false;
    const deactivation = `update webhooks set active = false where ${SCOPE_CONDITION} and id = $3 returning id`;
    const [row] = await this.#database.query(deactivation, [...this.#valuesOf(scope), id]);
    if (!row) return false;
    const statement = `delete from webhook_deliveries where sequence in
      (select sequence from webhook_deliveries where webhook_id = $1 limit ${DELETED_ROWS}) returning 1`;
    while ((await this.#database.query(statement, [id])).length === DELETED_ROWS);
    // First, in the order of the transaction that takes the due ones: a cascade would lock them after the registration.
    await this.#database.query('delete from waiting_deliveries where webhook_id = $1', [id]);
    await this.#database.query('delete from webhooks where id = $1', [id]);
    return true;
  }

  /**
   * Replaces the token; the previous token also signs for `graceHours`. Undefined if the scope does not have the
   * registration.
   */
  async rotate(
    scope: RegistrationScope,
    id: string,
    { token, graceHours }: { readonly token: string; readonly graceHours: number },
  ): Promise<WebhookRegistration | undefined> {
    if (!isStorable(id)) return undefined;
    const [row] = await this.#database.query<WebhookRegistration>(
      `update webhooks set previous_token = token, previous_token_until = now() + interval '1 hour' * $5, token = $4
       where ${SCOPE_CONDITION} and id = $3 returning ${REGISTRATION_COLUMNS}`,
      [...this.#valuesOf(scope), id, token, graceHours],
    );
    return row;
  }

  /** The registrations of a scope, the oldest first; undefined for a cursor that the scope does not have. */
  async list(scope: RegistrationScope, { after, limit }: { readonly after?: string | undefined; readonly limit: number }) {
    if (after !== undefined && !(await this.find(scope, after))) return undefined;
    const statement = `select ${REGISTRATION_COLUMNS} from webhooks
       where ${SCOPE_CONDITION}
         and ($3::text is null or (created_at, id) > (select created_at, id from webhooks where id = $3))
       order by created_at, id limit $4`;
    return this.#database.query<WebhookRegistration>(statement, [...this.#valuesOf(scope), after ?? null, limit]);
  }

  /** A registration; undefined if the scope does not have it. */
  async find(scope: RegistrationScope, id: string): Promise<WebhookRegistration | undefined> {
    if (!isStorable(id)) return undefined;
    const statement = `select ${REGISTRATION_COLUMNS} from webhooks where ${SCOPE_CONDITION} and id = $3`;
    const [row] = await this.#database.query<WebhookRegistration>(statement, [...this.#valuesOf(scope), id]);
    return row;
  }

  /** Registrations of any application on the chain, in the order of their ids; undefined for an unknown id. */
  async findAll(ids: readonly string[]): Promise<readonly (WebhookRegistration | undefined)[]> {
    const statement = `select ${REGISTRATION_COLUMNS} from webhooks where id = any($1::text[]) and chain_id = $2`;
    const rows = await this.#database.query<WebhookRegistration>(statement, [ids, this.#database.query.chainId]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id));
  }

  /** The values of SCOPE_CONDITION. */
  #valuesOf(scope: RegistrationScope): readonly unknown[] {
    return [scope ?? null, this.#database.query.chainId];
  }
}

/** Maximum number of addresses that one statement reads for responses. */
export const MAX_READ_ADDRESSES = 100_000;

/** Adds addresses to a registration; does not change addresses that the registration already has. */
async function insertAddresses(query: Query, registrationId: string, addresses: readonly Data[]): Promise<void> {
  const statement =
    'insert into webhook_addresses select $1, address from unnest($2::text[]) as new (address) on conflict do nothing';
  if (addresses.length > 0) await query(statement, [registrationId, addresses]);
}

/**
 * The addresses of registrations, sorted, in the order of the ids. Runs one statement. Rejects with RESULT_TOO_LARGE
 * for more than `maxAddresses` addresses of all registrations together.
 */
export async function readAddresses(query: Query, ids: readonly string[], maxAddresses: number) {
  // One text for each registration: decoding an array of PostgreSQL takes several times longer.
  const statement = `select webhook_id, count(*)::integer as count, string_agg(address, ',' order by address) as addresses
     from (select webhook_id, address from webhook_addresses where webhook_id = any($1::text[]) limit $2) as read
     group by webhook_id`;
  const rows = await query<{ webhook_id: string; count: number; addresses: string }>(statement, [ids, maxAddresses + 1]);
  const actual = rows.reduce((sum, { count }) => sum + count, 0);
  if (actual > maxAddresses) {
    const message = `The webhooks of the page have more than ${maxAddresses} addresses. Select \`addresses\` of fewer webhooks.`;
    throw new GraphError('RESULT_TOO_LARGE', message, { limit: maxAddresses, actual });
  }
  const byId = new Map(rows.map(({ webhook_id, addresses }) => [webhook_id, addresses.split(',')]));
  return ids.map((id) => byId.get(id) ?? []);
}

import type { Query } from './query.ts';
import { inTransaction } from './statements.ts';

/** Keys of the advisory locks, by purpose. */
export const ADVISORY_LOCKS = { migrations: 7_461_001, inserts: 7_461_002, derivation: 7_461_003 } as const;

/** Changes of the tables, in order; the version of a database is the number of changes that it has. Never change a released one. */
const MIGRATIONS: readonly string[] = [
  `create table webhook_events (
     sequence bigint generated always as identity primary key,
     id text not null unique,
     app text not null,
     type text not null,
     network text not null,
     timestamp timestamptz,
     received_at timestamptz not null,
     highest_block bigint,
     removed boolean not null default false,
     content jsonb not null
   );
   create index webhook_events_by_app on webhook_events (app, sequence);
   create index webhook_events_by_type on webhook_events (app, type, sequence);
   create index webhook_events_by_time on webhook_events (received_at);
   create table webhook_bodies (
     hash bytea primary key,
     received_at timestamptz not null
   );
   create index webhook_bodies_by_time on webhook_bodies (received_at);`,
  `alter table webhook_events add column source text not null default 'received' check (source in ('received', 'derived'));
   create index webhook_events_by_received_block on webhook_events (highest_block)
     where source = 'received' and type = 'ADDRESS_ACTIVITY';
   create table webhooks (
     id text primary key,
     app text not null,
     type text not null,
     url text not null,
     active boolean not null default true,
     gas_price jsonb,
     confirmations integer not null default 1,
     token text not null,
     previous_token text,
     previous_token_until timestamptz,
     created_at timestamptz not null default now()
   );
   create index webhooks_by_app on webhooks (app, created_at, id);
   create table webhook_addresses (
     webhook_id text not null references webhooks on delete cascade,
     address text not null,
     primary key (webhook_id, address)
   );
   create index webhook_addresses_by_address on webhook_addresses (address);
   create table webhook_deliveries (
     sequence bigint generated always as identity primary key,
     id text not null unique,
     webhook_id text not null references webhooks on delete cascade,
     event_id text,
     body text not null,
     status text not null default 'PENDING' check (status in ('PENDING', 'DELIVERED', 'RETRYING', 'DEAD')),
     attempts integer not null default 0,
     step integer not null default 0,
     claimed_by text,
     next_attempt_at timestamptz,
     last_status_code integer,
     delivered_at timestamptz,
     created_at timestamptz not null default now()
   );
   create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, sequence);
   create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at) where status in ('PENDING', 'RETRYING');
   create index webhook_deliveries_claimed on webhook_deliveries (claimed_by) where claimed_by is not null;
   create index webhook_deliveries_by_status on webhook_deliveries (webhook_id, status, sequence);
   create table webhook_attempts (
     delivery_id text not null references webhook_deliveries (id) on delete cascade,
     number integer not null,
     attempted_at timestamptz not null,
     duration_ms integer not null,
     status_code integer,
     error text,
     primary key (delivery_id, number)
   );
   create table derived_blocks (
     height bigint primary key,
     hash text not null,
     parent_hash text not null,
     facts jsonb not null
   );
   create table webhook_activities (
     app text not null,
     height bigint not null,
     key text not null,
     received integer not null default 0,
     derived integer not null default 0,
     primary key (app, height, key)
   );
   create table watched_transactions (
     hash text primary key,
     sender text not null,
     nonce text not null,
     content jsonb not null,
     seen_at timestamptz not null,
     missing_since timestamptz
   );
   create index watched_transactions_by_sender on watched_transactions (sender, nonce);`,
  `create table webhook_send_quotas (
     app text primary key,
     sent_at timestamptz[] not null
   );
   alter table webhook_activities add column counted_at timestamptz not null default now();`,
];

/** Applies the missing migrations in one transaction. Several servers may start at the same time. */
export async function migrate(query: Query): Promise<void> {
  await inTransaction(query, async () => {
    await query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.migrations]);
    await query('create table if not exists grimoire_migrations (version integer primary key, applied_at timestamptz not null)');
    const [row] = await query<{ version: number }>('select coalesce(max(version), 0) as version from grimoire_migrations');
    for (let version = row!.version + 1; version <= MIGRATIONS.length; version++) {
      await query(MIGRATIONS[version - 1]!);
      await query('insert into grimoire_migrations values ($1, now())', [version]);
    }
  });
}

import { inTransaction, type Query } from './statements.ts';

/** Keys of the advisory locks, by purpose. */
export const ADVISORY_LOCKS = { migrations: 7_461_001, inserts: 7_461_002, derivation: 7_461_003 } as const;

/** Versions of the tables before the first release of webhooks. The first of `MIGRATIONS` creates the tables as version 5 had them. */
const UNRELEASED_VERSIONS = 4;

/** Changes of the tables, in order. The first one has the version after `UNRELEASED_VERSIONS`. Never change a released one. */
export const MIGRATIONS: readonly string[] = [
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
     content jsonb not null,
     content_bytes integer not null generated always as (octet_length(content::text)) stored,
     source text not null default 'received' check (source in ('received', 'derived'))
   );
   create index webhook_events_by_app on webhook_events (app, sequence);
   create index webhook_events_by_type on webhook_events (app, type, sequence);
   create index webhook_events_by_time on webhook_events (received_at);
   create index webhook_events_by_received_block on webhook_events (highest_block)
     where source = 'received' and type = 'ADDRESS_ACTIVITY';
   create table webhook_bodies (
     hash bytea primary key,
     received_at timestamptz not null
   );
   create index webhook_bodies_by_time on webhook_bodies (received_at);
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
   create table webhook_send_quotas (
     app text primary key,
     sent_at timestamptz[] not null
   );
   create table webhook_delivery_bodies (
     hash bytea primary key,
     body text not null,
     created_at timestamptz not null default now()
   );
   create table webhook_deliveries (
     sequence bigint generated always as identity primary key,
     id text not null unique,
     webhook_id text not null references webhooks on delete cascade,
     event_id text,
     body_hash bytea not null references webhook_delivery_bodies,
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
   create index webhook_deliveries_by_body on webhook_deliveries (body_hash);
   create table webhook_attempts (
     delivery_id text not null references webhook_deliveries (id) on delete cascade,
     number integer not null,
     attempted_at timestamptz not null,
     duration_ms integer not null,
     status_code integer,
     error text,
     primary key (delivery_id, number)
   );
   create table webhook_activities (
     app text not null,
     height bigint not null,
     key text not null,
     received integer not null default 0,
     derived integer not null default 0,
     counted_at timestamptz not null default now(),
     primary key (app, height, key)
   );
   create table derived_blocks (
     height bigint primary key,
     hash text not null,
     parent_hash text not null,
     complete boolean not null default true
   );
   create table derived_notifications (
     height bigint not null references derived_blocks on delete cascade,
     app text not null,
     key text not null,
     event_id text,
     content jsonb,
     shown integer[] not null,
     primary key (height, app, key)
   );
   create table waiting_deliveries (
     id text primary key,
     height bigint not null references derived_blocks on delete cascade,
     due_height bigint not null,
     webhook_id text not null references webhooks on delete cascade,
     event_id text,
     body_hash bytea not null references webhook_delivery_bodies
   );
   create index waiting_deliveries_due on waiting_deliveries (due_height);
   create index waiting_deliveries_by_block on waiting_deliveries (height);
   create index waiting_deliveries_by_webhook on waiting_deliveries (webhook_id);
   create index waiting_deliveries_by_body on waiting_deliveries (body_hash);
   create table watched_transactions (
     hash text primary key,
     sender text not null,
     nonce text not null,
     content jsonb not null,
     seen_at timestamptz not null,
     missing_since timestamptz,
     settled_height bigint,
     bytes integer not null
   );
   create index watched_transactions_by_sender on watched_transactions (sender, nonce);
   create index watched_transactions_by_block on watched_transactions (settled_height) where settled_height is not null;
   create table watched_transaction_apps (
     app text not null,
     hash text not null references watched_transactions on delete cascade,
     primary key (app, hash)
   );
   create index watched_transaction_apps_by_hash on watched_transaction_apps (hash);`,
  `create table subscription_streams (
     app text not null,
     name text not null,
     subscription text not null check (subscription in ('logs', 'newHeads')),
     cursor text,
     from_block bigint,
     holder text,
     lease_until timestamptz,
     acknowledged_at timestamptz,
     used_at timestamptz not null default now(),
     created_at timestamptz not null default now(),
     primary key (app, name)
   );
   create index subscription_streams_by_holder on subscription_streams (holder) where holder is not null;
   create index subscription_streams_by_use on subscription_streams (used_at);`,
  'alter table subscription_streams add column chain_id text;',
  // No writer is in a transaction. Servers of the version before still write rows of the default chain, beside those of this version.
  `select pg_advisory_xact_lock(${ADVISORY_LOCKS.inserts});
   drop index webhook_events_by_app, webhook_events_by_type, waiting_deliveries_due, waiting_deliveries_by_block, watched_transaction_apps_by_hash;
   alter table derived_notifications drop constraint derived_notifications_height_fkey, drop constraint derived_notifications_pkey;
   alter table waiting_deliveries drop constraint waiting_deliveries_height_fkey;
   alter table watched_transaction_apps drop constraint watched_transaction_apps_hash_fkey, drop constraint watched_transaction_apps_pkey;
   do $$ declare name text; begin
     foreach name in array '{webhooks, webhook_events, webhook_activities, derived_blocks, derived_notifications, waiting_deliveries,
       watched_transactions, watched_transaction_apps}'::text[] loop
       execute format('alter table %I add column chain_id text not null default %L', name, '');
     end loop;
   end $$;
   alter table derived_blocks drop constraint derived_blocks_pkey, add primary key (chain_id, height);
   alter table derived_notifications add primary key (chain_id, height, app, key),
     add foreign key (chain_id, height) references derived_blocks on delete cascade;
   alter table waiting_deliveries add foreign key (chain_id, height) references derived_blocks on delete cascade;
   alter table watched_transactions drop constraint watched_transactions_pkey, add primary key (chain_id, hash);
   alter table watched_transaction_apps add primary key (app, chain_id, hash),
     add foreign key (chain_id, hash) references watched_transactions on delete cascade;
   create index webhook_events_by_chain on webhook_events (chain_id, sequence);
   create index webhook_events_by_app on webhook_events (app, chain_id, sequence);
   create index webhook_events_by_type on webhook_events (app, chain_id, type, sequence);
   create statistics webhook_events_of_chains (mcv) on app, chain_id, type from webhook_events;
   create index waiting_deliveries_due on waiting_deliveries (chain_id, due_height);
   create index waiting_deliveries_by_block on waiting_deliveries (chain_id, height);
   create index watched_transaction_apps_by_hash on watched_transaction_apps (chain_id, hash);`,
];

/** Applies the missing migrations in one transaction. Several servers may start at the same time. */
export async function migrate(query: Query): Promise<void> {
  await inTransaction(query, async () => {
    await query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.migrations]);
    await query('create table if not exists grimoire_migrations (version integer primary key, applied_at timestamptz not null)');
    const [row] = await query<{ version: number }>('select coalesce(max(version), 0) as version from grimoire_migrations');
    const { version } = row!;
    if (version > 0 && version <= UNRELEASED_VERSIONS)
      throw new Error(`The tables have the unreleased version ${version}. Set DATABASE_URL to a new database.`);
    for (const [index, statements] of MIGRATIONS.entries()) {
      const next = UNRELEASED_VERSIONS + index + 1;
      if (next <= version) continue;
      await query(statements);
      await query('insert into grimoire_migrations values ($1, now())', [next]);
    }
  });
}

import { inTransaction, type Query } from './statements.ts';

/** Keys of the advisory locks, by purpose. */
export const ADVISORY_LOCKS = { migrations: 7_461_001, inserts: 7_461_002, derivation: 7_461_003 } as const;

/** Changes of the tables, in order; the version of a database is the number of changes that it has. Never change a released one. */
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
  // The hash of a body is that of `insertBodies`: of the application, a zero byte and the body.
  `create table webhook_delivery_bodies (
     hash bytea primary key,
     body text not null,
     created_at timestamptz not null default now()
   );
   alter table webhook_deliveries add column body_hash bytea;
   update webhook_deliveries set body_hash = sha256(convert_to(app, 'UTF8') || '\\x00'::bytea || convert_to(body, 'UTF8'))
     from webhooks where webhooks.id = webhook_id;
   insert into webhook_delivery_bodies (hash, body) select distinct on (body_hash) body_hash, body from webhook_deliveries;
   alter table webhook_deliveries alter column body_hash set not null, drop column body,
     add foreign key (body_hash) references webhook_delivery_bodies;
   create index webhook_deliveries_by_body on webhook_deliveries (body_hash);
   alter table derived_blocks add column complete boolean not null default true;
   create table derived_notifications (
     height bigint not null references derived_blocks on delete cascade,
     app text not null,
     key text not null,
     event_id text,
     content jsonb,
     shown integer[] not null,
     primary key (height, app, key)
   );
   insert into derived_notifications (height, app, key, event_id, content, shown)
     select height, notification ->> 'app', position::text, notification ->> 'eventId', notification -> 'content',
       array(select jsonb_array_elements_text(notification -> 'shown')::integer)
     from derived_blocks cross join jsonb_array_elements(facts -> 'notifications') with ordinality as stored (notification, position);
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
   create temporary table waiting on commit drop as
     select delivery ->> 'id' as id, height, (delivery ->> 'dueHeight')::bigint as due_height, webhooks.id as webhook_id,
       delivery ->> 'eventId' as event_id, delivery ->> 'body' as body,
       sha256(convert_to(app, 'UTF8') || '\\x00'::bytea || convert_to(delivery ->> 'body', 'UTF8')) as body_hash
     from derived_blocks cross join jsonb_array_elements(facts -> 'waiting') as stored (delivery)
       join webhooks on webhooks.id = delivery ->> 'registrationId';
   insert into webhook_delivery_bodies (hash, body) select distinct on (body_hash) body_hash, body from waiting
     on conflict do nothing;
   insert into waiting_deliveries (id, height, due_height, webhook_id, event_id, body_hash)
     select id, height, due_height, webhook_id, event_id, body_hash from waiting on conflict do nothing;
   alter table watched_transactions add column settled_height bigint, add column bytes integer;
   insert into watched_transactions (hash, sender, nonce, content, seen_at, settled_height)
     select settled ->> 'hash', settled ->> 'from', settled ->> 'nonce', settled, now(), height
     from derived_blocks cross join jsonb_array_elements(facts -> 'settled') as stored (settled)
     on conflict do nothing;
   update watched_transactions set bytes = octet_length(content::text);
   alter table watched_transactions alter column bytes set not null;
   create index watched_transactions_by_block on watched_transactions (settled_height) where settled_height is not null;
   create table watched_transaction_apps (
     app text not null,
     hash text not null references watched_transactions on delete cascade,
     primary key (app, hash)
   );
   create index watched_transaction_apps_by_hash on watched_transaction_apps (hash);
   insert into watched_transaction_apps (app, hash)
     select distinct webhooks.app, watched_transactions.hash from watched_transactions
       join webhook_addresses on webhook_addresses.address = watched_transactions.sender
       join webhooks on webhooks.id = webhook_addresses.webhook_id
     where webhooks.type = 'DROPPED_TRANSACTION';
   alter table derived_blocks drop column facts;`,
  `alter table webhook_events add column content_bytes integer not null generated always as (octet_length(content::text)) stored;`,
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

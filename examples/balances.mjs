// Indexes the balances of all holders of ERC-20 tokens in PostgreSQL, exactly, across reorgs, failures and restarts:
//   DATABASE_URL=postgres://… node examples/balances.mjs [http://127.0.0.1:4000] [token…]
// Run it as often as you like: it continues where the last run stopped. Needs the packages @grimoire/client and pg.
import { createEventStreamClient } from '@grimoire/client';
import { sync } from '@grimoire/client/sync';
import { createPostgresStore } from '@grimoire/client/sync-postgres';
import pg from 'pg';

const [base = 'http://127.0.0.1:4000', ...tokens] = process.argv.slice(2);

/** First topic of `Transfer(address,address,uint256)`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
// A connection that is lost while it is idle. The store opens new ones.
pool.on('error', () => {});

/** Adds to the balance of a holder; no row is a balance of 0. */
const add = (query, token, holder, amount) =>
  query(
    `insert into balances values ($1, $2, $3)
     on conflict (token, holder) do update set balance = balances.balance + excluded.balance`,
    [token, holder, amount],
  );

/** Moves an amount from the sender to the recipient. The zero address is the sender of new tokens. */
async function transfer(query, { account, topics, data }, sign) {
  // A transfer of an ERC-721 has the same first topic, and the token as its fourth.
  if (topics.length !== 3) return;
  const [from, to] = topics.slice(1).map((topic) => `0x${topic.slice(26)}`);
  const amount = sign * BigInt(data);
  if (from !== ZERO_ADDRESS) await add(query, account.address, from, -amount);
  if (to !== ZERO_ADDRESS) await add(query, account.address, to, amount);
}

const store = createPostgresStore({
  database: pool,
  name: ['balances', ...tokens].join(' '),
  write: (query, log) => transfer(query, log, 1n),
  remove: (query, log) => transfer(query, log, -1n),
});

await pool.query('create table if not exists balances (token text, holder text, balance numeric, primary key (token, holder))');

await sync({
  client: createEventStreamClient({ url: `${base}/graphql` }),
  logs: { filter: { addresses: tokens, topics: [[TRANSFER]] }, fields: 'account { address } topics data' },
  from: 0,
  store,
  onInterruption: ({ error, delayMs }) => console.error(`continuing in ${Math.round(delayMs)} ms:`, error.message ?? error),
});

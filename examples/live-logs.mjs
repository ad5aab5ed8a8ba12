// Appends every log of the chain to a file as lines of JSON, each exactly once and in order, across failures and restarts:
//   node examples/live-logs.mjs logs.ndjson [http://127.0.0.1:4000]
// After a restart of this program or of the server it resumes after the last complete line. A reorg adds lines with `removed`.
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { follow } from './follow.mjs';

const [file = 'logs.ndjson', base = 'http://127.0.0.1:4000'] = process.argv.slice(2);

/** Returns the cursor of the last complete line; truncates an incomplete one, which an interrupted write leaves. */
function lastCursor() {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file);
  const end = text.lastIndexOf('\n') + 1;
  truncateSync(file, end);
  const lines = text.subarray(0, end).toString().trimEnd().split('\n');
  return lines.at(-1) ? JSON.parse(lines.at(-1)).cursor : undefined;
}

const client = createClient({
  url: `${base.replace(/^http/, 'ws')}/graphql`,
  webSocketImpl: WebSocket,
  retryAttempts: 0,
  // Pings detect connections that stay open without transferring data.
  keepAlive: 10_000,
});

const query = `subscription Logs($after: String) {
  logs(after: $after) { cursor removed blockNumber blockHash index account { address } topics data transaction { hash } }
}`;

const after = lastCursor();
console.error(after ? `resuming after ${after}` : 'starting with new logs');
const onBreak = (error, missing) =>
  console.error(
    missing
      ? `some logs may be missing: ${error[0]?.message ?? error.reason ?? error}`
      : `disconnected, retrying: ${error.message ?? error.reason ?? error}`,
  );

for await (const { logs } of follow(client, { query, cursorOf: ({ logs }) => logs.cursor, after, onBreak })) {
  appendFileSync(file, `${JSON.stringify(logs)}\n`);
}

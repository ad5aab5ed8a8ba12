// Writes every log of the chain into a file, one JSON text a line, each once and in order, whatever breaks meanwhile:
//   node examples/live-logs.mjs logs.ndjson [http://127.0.0.1:4000]
// Kill it, or the server, as often as you like: started again it goes on behind the last whole line. A reorg shows as lines with `removed`.
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { follow } from './follow.mjs';

const [file = 'logs.ndjson', base = 'http://127.0.0.1:4000'] = process.argv.slice(2);

/** The cursor of the last whole line; half a line, of a write that a kill has cut, is taken away. */
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
  // Lost connections show by themselves, silent ones only to whoever asks.
  keepAlive: 10_000,
});

const query = `subscription Logs($after: String) {
  logs(after: $after) { cursor removed blockNumber blockHash index account { address } topics data transaction { hash } }
}`;

const after = lastCursor();
console.error(after ? `going on behind ${after}` : 'beginning at the present');
const onBreak = (error, missing) =>
  console.error(
    missing
      ? `some logs may be missing: ${error[0]?.message ?? error.reason ?? error}`
      : `broken off, trying again: ${error.message ?? error.reason ?? error}`,
  );

for await (const { logs } of follow(client, { query, cursorOf: ({ logs }) => logs.cursor, after, onBreak })) {
  appendFileSync(file, `${JSON.stringify(logs)}\n`);
}

import { type AddressInfo, createServer, type Socket } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import { loadClient } from '../../src/database/database.ts';
import { loadQueue } from '../../src/domains/webhooks/delivery/job-queue.ts';

/** A message of the protocol of PostgreSQL: its type, its length and its contents. */
type Message = Buffer;

const textOf = (bytes: Buffer): string => bytes.toString('latin1');
const typeOf = (message: Message): string => String.fromCharCode(message[0]!);

/** Splits bytes into messages with a type. */
function* messagesIn(bytes: Buffer): Generator<Message> {
  for (let at = 0; at + 5 <= bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    if (end > bytes.length) return;
    yield bytes.subarray(at, end);
    at = end;
  }
}

function messageOf(type: string, ...parts: (string | Buffer)[]): Message {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)));
  const head = Buffer.from(`${type}\0\0\0\0`);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const ZERO = Buffer.alloc(4);
/** The response to a startup: authentication is complete, and the server is ready. */
const STARTED = Buffer.concat([
  messageOf('R', ZERO),
  messageOf('S', 'client_encoding', 'UTF8'),
  messageOf('K', ZERO, ZERO),
  messageOf('Z', Buffer.from('I')),
]);

/** Names of prepared statements are those of a connection; all connections share one session. */
function withOwnNames(message: Message, connection: number): Message {
  const type = typeOf(message);
  const own = (text: string) => (text === '' ? '' : `${connection} ${text}`);
  const [first = '', second = ''] = textOf(message.subarray(5)).split('\0', 2);
  const rest = (skipped: number) => message.subarray(5 + skipped);
  if (type === 'P') return messageOf(type, own(first), rest(first.length + 1));
  if (type === 'B') return messageOf(type, first, own(second), rest(first.length + second.length + 2));
  if ((type === 'D' || type === 'C') && first[0] === 'S')
    return messageOf(type, Buffer.from('S'), own(first.slice(1)), rest(first.length + 1));
  return message;
}

const SESSION_LOCK = /pg_(try_)?advisory_lock(?=\()/;

/** The query that ends the lock of a query. */
const unlocking = (message: Message): Message =>
  typeOf(message) === 'P'
    ? messageOf('P', Buffer.from(textOf(message.subarray(5)).replace(SESSION_LOCK, 'pg_advisory_unlock'), 'latin1'))
    : message;

/** What a connection has sent up to the end of a query, and where the response is sent to. */
interface Exchange {
  readonly connection: Connection;
  readonly messages: readonly Message[];
}

interface Connection {
  readonly id: number;
  readonly socket: Socket;
  /** Queries that took a session lock: the lock ends with the connection. */
  readonly locks: (readonly Message[])[];
  /** Statements that listen to channels. */
  listens: string;
}

let template: Promise<File | Blob> | undefined;

/**
 * PostgreSQL in this process, compiled to WebAssembly: its clock is the clock of the process, so that it runs in virtual time. Its connections share
 * one session: an open transaction holds the queries of other connections, and a session lock does not exclude them.
 */
export async function startVirtualPostgres() {
  // The server loads them when it first needs them, which takes real time.
  await Promise.all([loadClient(), loadQueue()]);
  template ??= PGlite.create().then(async (empty) => {
    const files = await empty.dumpDataDir('none');
    await empty.close();
    return files;
  });
  const database = await PGlite.create({ loadDataDir: await template });
  const connections = new Set<Connection>();
  const waiting: Exchange[] = [];
  /** The connection whose transaction is open. */
  let holder: Connection | undefined;
  let count = 0;

  const notify = (notification: Message) => {
    const channel = textOf(notification.subarray(9)).split('\0', 1)[0]!;
    for (const { listens, socket } of connections) if (listens.includes(channel)) socket.write(notification);
  };
  const run = ({ connection, messages }: Exchange) => {
    const response: Message[] = [];
    if (messages.some((message) => SESSION_LOCK.test(textOf(message)))) connection.locks.push(messages);
    for (const message of messages) {
      if (/listen/i.test(textOf(message))) connection.listens += textOf(message);
      for (const reply of messagesIn(Buffer.from(database.execProtocolRawSync(withOwnNames(message, connection.id)))))
        if (typeOf(reply) === 'A') notify(reply);
        else response.push(reply);
    }
    const status = response.findLast((reply) => typeOf(reply) === 'Z');
    holder = status && status[5] !== 'I'.charCodeAt(0) ? connection : undefined;
    if (connection.socket.writable) connection.socket.write(Buffer.concat(response));
  };
  const runWaiting = () => {
    for (;;) {
      const next = waiting.findIndex(({ connection }) => !holder || connection === holder);
      if (next < 0) return;
      run(waiting.splice(next, 1)[0]!);
    }
  };

  const server = createServer((socket) => {
    const connection: Connection = { id: ++count, socket, locks: [], listens: '' };
    connections.add(connection);
    let isStarted = false;
    let received = Buffer.alloc(0);
    let messages: Message[] = [];
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      if (!isStarted) {
        if (received.length < 4 || received.length < received.readInt32BE(0)) return;
        received = received.subarray(received.readInt32BE(0));
        isStarted = true;
        socket.write(STARTED);
      }
      for (const message of messagesIn(received)) {
        received = received.subarray(message.length);
        const type = typeOf(message);
        if (type === 'X') return void socket.end();
        messages.push(message);
        // Sync or Flush, or a simple query.
        if (!'SHQ'.includes(type)) continue;
        waiting.push({ connection, messages });
        messages = [];
      }
      runWaiting();
    });
    socket.on('close', () => {
      // The database has stopped.
      if (!connections.delete(connection)) return;
      for (let i = waiting.length - 1; i >= 0; i--) if (waiting[i]!.connection === connection) waiting.splice(i, 1);
      if (holder === connection) {
        database.execProtocolRawSync(messageOf('Q', 'rollback'));
        holder = undefined;
      }
      for (const message of connection.locks.flat()) database.execProtocolRawSync(unlocking(message));
      runWaiting();
    });
  });
  server.listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://grimoire@127.0.0.1:${port}/grimoire`,
    async stop(): Promise<void> {
      for (const { socket } of connections) socket.destroy();
      connections.clear();
      server.close();
      await database.close();
    },
  };
}

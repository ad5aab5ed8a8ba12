import { type LoadOperation, openLoadSocket, openLoadSockets, sharedClock } from './socket.ts';

/**
 * A process of live subscribers. All sockets have the same operations, so that all subscribers of an operation receive equal messages: the
 * first arrival of each message is the reference, which the test checks.
 */
export type LiveCommand =
  | { readonly open: { readonly url: string; readonly sockets: number; readonly operations: Record<string, LoadOperation> } }
  /** A block that is mined now, by the shared clock. */
  | { readonly mined: { readonly hash: string; readonly at: number } }
  /** Returns the latencies since the last such command. */
  | { readonly latencies: true }
  /** Returns the messages, and the subscribers that lack some of them. */
  | { readonly received: true };

/** Latencies in milliseconds from the mining of a block to the arrival of its event, over all arrivals. */
export interface Latencies {
  readonly count: number;
  readonly median: number;
  readonly p99: number;
}

export interface LiveReceived {
  /** The payloads of each operation, in order. */
  readonly payloads: Readonly<Record<string, readonly any[]>>;
  readonly errors: readonly string[];
}

interface Series {
  readonly messages: Buffer[];
  /** The block that each message adds; undefined for a removal. */
  readonly hashes: (string | undefined)[];
  /** The number of messages that each subscriber has received. */
  readonly positions: number[];
}

const series: Record<string, Series> = {};
const errors: string[] = [];
const minedAt = new Map<string, number>();
let arrivals: { readonly hash: string; readonly at: number }[] = [];
/** Position of the id, a single character, in a message. */
const ID_OFFSET = '{"id":"'.length;

function receive(message: Buffer, socket: number): void {
  const at = sharedClock();
  const { messages, hashes, positions } = series[String.fromCharCode(message[ID_OFFSET]!)] ?? {};
  if (!messages || !hashes || !positions) return void errors.push(String(message));
  const position = positions[socket]!++;
  if (position === messages.length) {
    const { type, payload } = JSON.parse(String(message));
    const { hash, blockHash, removed } = payload?.data?.newHeads ?? payload?.data?.logs ?? {};
    if (type !== 'next' || payload.errors) errors.push(String(message));
    messages.push(message);
    hashes.push(removed ? undefined : (hash ?? blockHash));
  } else if (!messages[position]!.equals(message)) errors.push(`${message} instead of ${messages[position]}`);
  const hash = hashes[position];
  if (hash !== undefined) arrivals.push({ hash, at });
}

function readLatencies(): Latencies {
  const sorted = Float64Array.from(arrivals, ({ hash, at }) => at - minedAt.get(hash)!).sort();
  arrivals = [];
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { count: sorted.length, median: quantile(0.5), p99: quantile(0.99) };
}

function readReceived(): LiveReceived {
  const behind = Object.entries(series).flatMap(([id, { messages, positions }]) =>
    positions.flatMap((position, socket) =>
      position === messages.length ? [] : [`${id} of socket ${socket} has ${position} of ${messages.length} events`],
    ),
  );
  const payloads = Object.fromEntries(
    Object.entries(series).map(([id, { messages }]) => [id, messages.map((message) => JSON.parse(String(message)).payload)]),
  );
  return { payloads, errors: [...errors, ...behind] };
}

process.on('message', async (command: LiveCommand) => {
  if ('mined' in command) minedAt.set(command.mined.hash, command.mined.at);
  else if ('latencies' in command) process.send!(readLatencies());
  else if ('received' in command) process.send!(readReceived());
  else {
    const { url, sockets, operations } = command.open;
    for (const id of Object.keys(operations))
      series[id] = { messages: [], hashes: [], positions: Array.from({ length: sockets }, () => 0) };
    await openLoadSockets(sockets, (socket) =>
      openLoadSocket(
        url,
        operations,
        (message) => receive(message, socket),
        (reason) => errors.push(`socket ${socket}: ${reason}`),
      ),
    );
    process.send!('open');
  }
});
process.on('disconnect', () => process.exit());

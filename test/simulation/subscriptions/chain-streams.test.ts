import { expect, test } from '@jest/globals';
import { encodeLogCursor } from '../../../src/domains/chain/log-cursor.ts';
import { type LogsRoot, logs } from '../../../src/domains/chain/subscriptions/logs.ts';
import type { LogFilter } from '../../../src/ethereum/log-filters.ts';
import { type StreamSubscriber, subscribeToStream } from '../../support/clients/stream-subscriber.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import type { DisconnectKind } from '../../support/simulator/node.ts';
import { DIALECTS } from '../../support/simulator/rpc-simulator.ts';
import type { SimBlock, SimLog } from '../../support/simulator/view.ts';
import { pollUntil } from '../../support/subscriptions/feed-setup.ts';
import { addedLogLabels, blocksAfter, logLabel, startLiveStreams } from '../../support/subscriptions/live-streams.ts';

/** Chain streams over a node with reorgs and lost connections, for clients that disconnect and resume. */
const SEED = readSeed();

const MOVES = runSize(20, 1_500);

test.each(DIALECTS.map(([name, dialect], i) => [name, dialect, SEED + i] as const))(
  `newHeads emits each canonical block and its replacements to a client that resumes, over ${MOVES} chain changes: %s (SEED=${SEED})`,
  async (_name, dialect, from) => {
    const draw = random(from);
    const upTo = (n: number) => 1 + Math.floor(draw() * n);
    const { live, move, chain } = await startLiveStreams(from, { dialect });
    const heights = new Map<number, Set<string>>();
    const note = ({ hash, height }: SimBlock) => heights.set(height, (heights.get(height) ?? new Set()).add(hash));
    for (let height = 0; height <= chain.head.height; height++) note(chain.main.at(height)!);
    let last = chain.head.hash;
    let client = subscribeToStream(live.newHeads(last));
    /** The chain as the client's events describe it. */
    const line = new Map<number, string>();
    let received = 0;
    for (let i = 0; i < MOVES; i++) {
      const depth = draw() < 0.5 ? upTo(8) : 0;
      const { added } = await move(depth, Math.max(1, depth + upTo(4) - 2));
      for (const block of added) note(block);
      if (draw() < 0.6) continue;
      // Only the end of the chain is compared: its branch may have been shorter in between.
      for (;;) {
        while (received < client.events.length) {
          const { root, cursor } = client.events[received++]!;
          const { number, hash, replaces } = root.newHeads;
          const others = [...heights.get(Number(number))!].filter((one) => one !== hash);
          if (replaces && others.length === 0) throw new Error(`${number} replaces nothing`);
          line.set(Number(number), hash);
          last = cursor!;
        }
        if (last === chain.head.hash) break;
        await client.waitForEvents(received + 1);
      }
      if (draw() < 0.5) {
        client.stop();
        const more = upTo(3);
        for (let j = 0; j < more; j++) {
          const deep = upTo(6);
          for (const block of (await move(deep, deep + upTo(2) - 1)).added) note(block);
        }
        received = 0;
        client = subscribeToStream(live.newHeads(last));
        // The chain may have returned to a known state.
        await client.waitForEvents(1);
      }
    }
    await client.waitForEvents(received);
    for (const { root } of client.events.slice(received)) line.set(Number(root.newHeads.number), root.newHeads.hash);
    const emitted = [...line].filter(([height]) => height <= chain.head.height);
    expect(emitted.length).toBeGreaterThan(runSize(0, MOVES / 2));
    expect(emitted.filter(([height, hash]) => chain.main.at(height)?.hash !== hash)).toEqual([]);
  },
);

const SESSIONS = runSize(8, 1_000);
const DISCONNECT_KINDS: readonly DisconnectKind[] = ['reset', 'half a frame', 'close'];

test.each(DIALECTS.map(([name, dialect], i) => [name, dialect, SEED + i] as const))(
  `logs emits each log once to a client that resumes ${SESSIONS} times across reorgs and lost connections: %s (SEED=${SEED})`,
  async (_name, dialect, from) => {
    const draw = random(from);
    const upTo = (n: number) => 1 + Math.floor(draw() * n);
    const { feed, move, chain, node } = await startLiveStreams(from, { dialect });
    const filter: LogFilter = draw() < 0.5 ? {} : { addresses: [`0x${'0'.repeat(39)}2`, `0x${'0'.repeat(39)}3`] };
    // Blocks from a query; no reorg is deeper.
    const start = chain.main.at(20)!;
    let cursor = encodeLogCursor({ height: 20, hash: start.hash, index: 99, removed: false });
    const held: string[] = [];
    const there = new Set<string>();
    const wrong: string[] = [];
    let [emitted, undone] = [0, 0];
    for (let life = 0; life < SESSIONS; life++) {
      if (draw() < 0.3) node.disconnect(DISCONNECT_KINDS[upTo(3) - 1]!, Math.floor(draw() * 6));
      const client = subscribeToStream(logs(feed, filter, cursor));
      for (let moves = upTo(4); moves > 0; moves--) {
        const depth = draw() < 0.6 ? Math.min(upTo(8), chain.head.height - 25) : 0;
        await move(depth, depth + upTo(3) - 1 + (depth === 0 ? 1 : 0));
      }
      const isLast = life === SESSIONS - 1;
      const goal = lastLog(chain.head, filter);
      // The client disconnects at a random time, sometimes after all events have arrived.
      const stays = isLast ? 0 : draw();
      if (stays < 0.75) {
        await pollUntil(
          () => client.ended !== undefined || isThere(client, held, goal) || (stays > 0.5 && client.events.length > 0),
        );
      }
      client.stop();
      expect(client.ended).toBeUndefined();
      for (const event of client.events) {
        const log = event.root.logs as unknown as SimLog;
        const name = logLabel({ ...log, removed: false });
        if (log.removed && held.pop() !== name) wrong.push(`${name} is removed but is not the last log`);
        if (!log.removed && there.has(name)) wrong.push(`${name} is emitted twice`);
        if (!log.removed) held.push(name);
        there[log.removed ? 'delete' : 'add'](name);
        cursor = event.cursor!;
        emitted += 1;
        if (log.removed) undone += 1;
      }
    }
    process.stdout.write(`logs: ${emitted} emitted, ${undone} of them removed\n`);
    expect(wrong).toEqual([]);
    expect(held).toEqual(addedLogLabels(blocksAfter(start, chain.head), filter));
    // A few sessions can have no undone block by chance.
    expect(undone).toBeGreaterThanOrEqual(runSize(0, SESSIONS / 4));
  },
);

/** Whether a client has every log up to the last one of the chain; the same logs may have been removed before. */
function isThere({ events }: StreamSubscriber<LogsRoot>, before: readonly string[], goal: string): boolean {
  const own: string[] = [];
  let left = before.length;
  for (const { root } of events) {
    if (!root.logs.removed) own.push(logLabel(root.logs as unknown as SimLog));
    else if (own.length > 0) own.pop();
    else left -= 1;
  }
  return (own.at(-1) ?? before[left - 1]) === goal;
}

/** The newest log of a chain. */
function lastLog(head: SimBlock, filter: LogFilter): string {
  for (let block: SimBlock | undefined = head; block; block = block.parent) {
    const last = addedLogLabels([block], filter).at(-1);
    if (last !== undefined) return last;
  }
  throw new Error('the chain has no log');
}

import { expect, test } from '@jest/globals';
import { decodeLogCursor } from '../../../../../src/domains/chain/subscriptions/log-cursor.ts';
import { logReplaySteps } from '../../../../../src/domains/chain/subscriptions/log-replay.ts';
import { replayEvents } from '../../../../../src/domains/chain/subscriptions/logs.ts';
import { type LogFilter, matchesFilter } from '../../../../../src/ethereum/log-filters.ts';
import { type Head, readHead } from '../../../../../src/sync/chain/rpc-header.ts';
import type { ChainPath } from '../../../../../src/sync/feed.ts';
import { random, readSeed } from '../../../../support/random-tests.ts';
import { SimChain } from '../../../../support/simulator/chain.ts';
import type { SimBlock, SimLog } from '../../../../support/simulator/view.ts';

/** A client that is cut off after any event, and goes on behind the cursor of that one, on a chain that has been reorganised meanwhile. */
const SEED = readSeed();
const ROUNDS = 500;

const headOf = ({ header }: SimBlock): Head => readHead(header)!;

/** By the parents of both, with no more than the blocks themselves. */
function blocksBetween(from: SimBlock, to: SimBlock): { removed: SimBlock[]; added: SimBlock[] } {
  const removed: SimBlock[] = [];
  const added: SimBlock[] = [];
  let [left, right] = [from, to];
  while (left !== right) {
    if (left.height >= right.height) {
      removed.push(left);
      left = left.parent!;
    } else {
      added.unshift(right);
      right = right.parent!;
    }
  }
  return { removed, added };
}

const toChainPath = ({ removed, added }: ReturnType<typeof blocksBetween>): ChainPath => ({
  removed: removed.map(headOf),
  added: added.map(headOf),
});

const nameOf = ({ blockHash, logIndex }: Pick<SimLog, 'blockHash' | 'logIndex'>): string => `${blockHash} ${Number(logIndex)}`;

test(`in ${ROUNDS} lives a client that goes on behind its last log has each log of the chain once, and no other (SEED=${SEED})`, () => {
  const draw = random(SEED);
  const upTo = (n: number) => 1 + Math.floor(draw() * n);
  const chain = new SimChain({ seed: SEED, maxOrphans: 10_000 });
  chain.mine(100);
  let [resumed, undone] = [0, 0];
  const wrong: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const filter: LogFilter = draw() < 0.5 ? {} : { addresses: [`0x${'0'.repeat(39)}${upTo(5)}`] };
    const wanted = ({ logs }: SimBlock) => logs.filter((log) => matchesFilter(log, filter));
    /** All that the client holds, by the rules of a client: a log comes that it does not have, or goes that it has, the last one first. */
    const held: string[] = [];
    let cursor: string | undefined;
    const hear = (log: SimLog, itsCursor: string | undefined) => {
      const name = nameOf(log);
      if (log.removed) {
        if (held.pop() !== name) wrong.push(`${name} goes and is not the last one`);
        undone += 1;
      } else {
        if (held.includes(name)) wrong.push(`${name} comes twice`);
        held.push(name);
      }
      cursor = itsCursor;
    };

    // It begins with the logs of more blocks than are ever reorganised, as a query has them.
    const first = chain.main.at(chain.head.height - upTo(12))!;
    let told = first;
    const line = [...blocksBetween(chain.main.at(first.height - 60)!, first).added];
    held.push(...line.flatMap(wanted).map(nameOf));
    const own = line.flatMap((block) =>
      replayEvents({ head: headOf(block), isRemoval: false, includesLog: () => true }, block.logs, filter),
    );
    cursor = own.at(-1)?.cursor;
    if (cursor === undefined) continue;

    for (let times = upTo(4); times > 0; times--) {
      if (draw() < 0.7) {
        const depth = upTo(10);
        chain.reorg(depth, depth + upTo(4) - 1);
      } else chain.mine(upTo(3));
      told = chain.head;
      const position = decodeLogCursor(cursor!);
      const at = chain.block(position.hash)!;
      const steps = logReplaySteps(position, headOf(at), toChainPath(blocksBetween(at, told)));
      const events = steps.flatMap((step) => replayEvents(step, chain.block(step.head.hash)!.logs, filter));
      // Cut off anywhere, also between the logs of one block, and between those that go.
      const heard = times === 1 ? events : events.slice(0, Math.floor(draw() * (events.length + 1)));
      for (const event of heard) hear(event.root.logs as unknown as SimLog, event.cursor);
      resumed += 1;
    }
    const start = line[0]!;
    const fork = blocksBetween(start.parent!, told);
    expect(fork.removed).toHaveLength(0);
    expect(held).toEqual(fork.added.flatMap(wanted).map(nameOf));
  }
  expect(wrong).toEqual([]);
  expect(resumed).toBeGreaterThan(ROUNDS);
  expect(undone).toBeGreaterThan(ROUNDS);
});

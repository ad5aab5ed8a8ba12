import { expect, test } from '@jest/globals';
import { decodeLogCursor } from '../../../../../src/domains/chain/log/cursor.ts';
import { SINGLE_LOGS } from '../../../../../src/domains/chain/subscriptions/log-events.ts';
import { type LogReplayStep, logReplaySteps, logsOfStep } from '../../../../../src/domains/chain/subscriptions/logs.ts';
import { type LogFilter, matchesFilter } from '../../../../../src/ethereum/log-filters.ts';
import { type Head, readHead } from '../../../../../src/sync/chain/rpc-header.ts';
import type { ChainPath } from '../../../../../src/sync/feed.ts';
import { random, readSeed, runSize } from '../../../../support/random-tests.ts';
import { SimChain } from '../../../../support/simulator/chain.ts';
import type { SimBlock, SimLog } from '../../../../support/simulator/view.ts';

/** A client disconnects after a random event and resumes from its cursor on a chain with reorgs. */
const SEED = readSeed();
const ROUNDS = runSize(100, 500);

const headOf = ({ header }: SimBlock): Head => readHead(header)!;

/** The events of one step. */
const eventsOf = (step: LogReplayStep, logs: SimBlock['logs'], filter: LogFilter) =>
  SINGLE_LOGS.ofBlock(step.head, logsOfStep(step, logs, filter), step.isRemoval);

/** The path between two blocks, computed from their parents. */
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

test(`log replay: in ${ROUNDS} runs a resuming client has each canonical log exactly once`, () => {
  const draw = random(SEED);
  const upTo = (n: number) => 1 + Math.floor(draw() * n);
  const chain = new SimChain({ seed: SEED, maxOrphans: 10_000, blocks: 100 });
  let [resumed, undone] = [0, 0];
  const wrong: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const filter: LogFilter = draw() < 0.5 ? {} : { addresses: [`0x${'0'.repeat(39)}${upTo(5)}`] };
    const matching = ({ logs }: SimBlock) => logs.filter((log) => matchesFilter(log, filter));
    /** The client's logs. An added log must be new to it, a removed log must be its last one. */
    const held: string[] = [];
    let cursor: string | undefined;
    const receive = (log: SimLog, eventCursor: string | undefined) => {
      const name = nameOf(log);
      if (log.removed) {
        if (held.pop() !== name) wrong.push(`${name} is removed but not the last one`);
        undone += 1;
      } else {
        if (held.includes(name)) wrong.push(`${name} is added twice`);
        held.push(name);
      }
      cursor = eventCursor;
    };

    // The client starts with the logs of a query over more blocks than any reorg removes.
    const first = chain.main.at(chain.head.height - upTo(12))!;
    let head = first;
    const path = [...blocksBetween(chain.main.at(first.height - 60)!, first).added];
    held.push(...path.flatMap(matching).map(nameOf));
    const initial = path.flatMap((block) =>
      eventsOf({ head: headOf(block), isRemoval: false, includesLog: () => true }, block.logs, filter),
    );
    cursor = initial.at(-1)?.cursor;
    if (cursor === undefined) continue;

    for (let times = upTo(4); times > 0; times--) {
      if (draw() < 0.7) {
        const depth = upTo(10);
        chain.reorg(depth, depth + upTo(4) - 1);
      } else chain.mine(upTo(3));
      head = chain.head;
      const position = decodeLogCursor(cursor!);
      const at = chain.block(position.hash)!;
      const steps = logReplaySteps(position, headOf(at), toChainPath(blocksBetween(at, head)));
      const events = steps.flatMap((step) => eventsOf(step, chain.block(step.head.hash)!.logs, filter));
      // Disconnect after any event, also within a block and among removals.
      const received = times === 1 ? events : events.slice(0, Math.floor(draw() * (events.length + 1)));
      for (const event of received) receive(event.root.logs as unknown as SimLog, event.cursor);
      resumed += 1;
    }
    const start = path[0]!;
    const fork = blocksBetween(start.parent!, head);
    expect(fork.removed).toHaveLength(0);
    expect(held).toEqual(fork.added.flatMap(matching).map(nameOf));
  }
  expect(wrong).toEqual([]);
  expect(resumed).toBeGreaterThan(ROUNDS);
  expect(undone).toBeGreaterThan(ROUNDS);
});

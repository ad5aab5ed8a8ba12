import { expect, test } from '@jest/globals';
import { seed, size } from '../support/prove.ts';
import type { Cut } from '../support/simulator/node.ts';
import { DIALECTS } from '../support/simulator/rpc-simulator.ts';
import { EventLine, type Line, SocketLine } from '../support/subscriptions/lines.ts';
import { openScene } from '../support/subscriptions/live-scene.ts';

/** From the node's socket to the client's: whatever breaks on the way, no event is lost, none comes twice, and all come in order. */
const SEED = seed();

const turn = () => new Promise((resolve) => setImmediate(resolve));

const DEATHS: readonly Cut[] = ['reset', 'half a frame', 'silence'];

test.each([
  ['the only way to the node', 'ws', size(20, 1_000), size(2_000, 100_000), size(1, 20)],
  ['one of two ways to the node', 'both', size(10, 250), size(1_000, 25_000), size(0, 5)],
] as const)(
  `a WebSocket that is %s (%s) is killed %i times while %i logs flow, and so are clients (SEED=${SEED})`,
  async (_name, ways, kills, logs, stops) => {
    const scene = await openScene({ seed: SEED, ways, dialect: SEED, mostLogs: 20 });
    const { draw, upTo, chain, graph, crowd, drawFilter, cuts } = scene;
    const checkReorgs = scene.addSteady({ isHearingLogs: false });
    const slow = new SocketLine(graph.url);
    const slowly = await crowd.logs(slow, drawFilter(0.3, 0.5), 'long');
    const lines: Line[] = [];
    for (let sockets = size(3, 8); sockets > 0; sockets--) {
      const line = new SocketLine(graph.url);
      lines.push(line);
      crowd.heads(line);
      for (let filters = 3; filters > 0; filters--) await crowd.logs(line, drawFilter(0.1, 0.6));
    }
    for (let streams = size(2, 6); streams > 0; streams--) {
      const line = new EventLine(graph.url);
      lines.push(line);
      await crowd.logs(line, drawFilter(0.1, 0.6));
    }
    await crowd.isThere();
    let made = 0;
    /** How many had been cut for being slow when the slow one stopped to read. */
    let stopped: number | undefined;
    for (let round = 0; cuts() < kills || made < logs || crowd.sums.slow < stops; round++) {
      graph.node.early = draw() < 0.5;
      graph.node.cut(DEATHS[upTo(3) - 1]!, Math.floor(draw() * 12));
      for (const line of crowd.passRound()) if (draw() < 0.5) line.killAfter(upTo(40));
      for (const line of lines) {
        if (draw() < 0.05) crowd.leave(line, upTo(8));
        else if (draw() < 0.3) line.killAfter(upTo(60));
      }
      // Now and then nobody is there at all, so that the streams end.
      if (draw() < 0.02) for (const line of [...lines, slow]) crowd.leave(line, upTo(8));
      if (stopped === undefined && !slow.isAway && !slowly.isCatchingUp && crowd.sums.slow < (stops * (made + 1)) / logs) {
        stopped = await graph.metric('slow_consumers_total');
        slow.stopReading();
      }
      for (let burst = upTo(4); burst > 0; burst--) {
        const depth = draw() < 0.1 ? upTo(3) : 0;
        const { added } = chain.reorg(depth, depth + upTo(4));
        made += added.reduce((sum, block) => sum + block.logs.length, 0);
        if (draw() < 0.7) await turn();
      }
      if (stopped !== undefined && (slow.isAway || (await graph.metric('slow_consumers_total')) > stopped)) {
        stopped = undefined;
        slow.readOn();
        // Until it has read that it was cut, and goes on.
        await crowd.isComplete((line) => line === slow && !line.isAway);
      }
      // Else the server alone is waited for.
      const isForAll = round % 4 === 0;
      await crowd.isComplete((line) => isForAll && !line.isAway && (line !== slow || stopped === undefined));
    }
    for (const line of [...lines, slow]) line.comeBack();
    slow.readOn();
    chain.mine();
    await crowd.isComplete();
    for (const { book } of crowd.listeners) expect(book.differences()).toEqual([]);
    checkReorgs();
    scene.write(`kills over ${ways}`, { logs: made });
    expect(graph.follower.status.gaps).toBe(0);
    expect(crowd.kills.catchingUp).toBeGreaterThanOrEqual(size(0, kills));
  },
);

const REORGS = Math.ceil(size(60, 10_000) / DIALECTS.length);
const QUICK_DEATHS: readonly Cut[] = ['reset', 'half a frame', 'close'];

test.each(DIALECTS.map(([name], dialect) => [name, dialect] as const))(
  `after each of ${REORGS} reorgs, half of them with a kill, every subscriber has what the chain has: %s (SEED=${SEED})`,
  async (name, dialect) => {
    const scene = await openScene({ seed: SEED + dialect, ways: 'ws', dialect, mostLogs: 2 });
    const { draw, upTo, chain, graph, crowd, drawFilter, cuts } = scene;
    const checkReorgs = scene.addSteady({ isHearingLogs: true });
    // Two for each filter, who share a stream and fall out of it at different times. With rarer logs a cursor could grow too old.
    const filters = Array.from({ length: size(10, 50) }, () => drawFilter(0.08, 0.12));
    const wanted = [...filters, ...filters];
    const lines: Line[] = [];
    for (let streams = size(4, 20); streams > 0; streams--) {
      const line = new EventLine(graph.url);
      lines.push(line);
      await crowd.logs(line, wanted.pop()!, 'in the document');
    }
    while (wanted.length > 0) {
      const line = new SocketLine(graph.url);
      lines.push(line);
      if (lines.length % 4 === 0) crowd.heads(line);
      for (const filter of wanted.splice(-4)) await crowd.logs(line, filter, 'in the document');
    }
    await crowd.isThere();
    const killed = () => cuts() + crowd.kills.all;
    let removed = 0;
    let withKill = 0;
    for (let round = 0; round < REORGS; round++) {
      const before = killed();
      const { height } = chain.head;
      graph.node.early = draw() < 0.5;
      const line = lines[upTo(lines.length) - 1]!;
      const fate = draw();
      if (fate < 0.3) graph.node.cut(draw() < 0.05 ? 'silence' : QUICK_DEATHS[upTo(3) - 1]!, upTo(8) - 1);
      else if (fate < 0.55) line.killAfter(upTo(6), ...(draw() < 0.3 ? [upTo(4)] : []));
      else if (fate < 0.6) crowd.leave(line, 1 + upTo(5));
      for (const back of crowd.passRound()) if (draw() < 0.5) back.killAfter(upTo(20));
      const depth = upTo(16);
      removed += chain.reorg(depth, draw() < 0.8 ? depth + upTo(3) - 1 : upTo(depth)).removed.length;
      for (let more = draw() < 0.3 ? upTo(3) : 0; more > 0; more--) chain.mine();
      if (draw() < 0.2) removed += chain.reorg(upTo(4), upTo(5)).removed.length;
      // What lies deeper than the follower has looked back is another matter; and a lower head that nobody has announced, since the
      // connection was cut just then, is believed when the next block is there, as it soon is on every chain.
      chain.mine(Math.max(0, 60 - chain.head.height, height + 1 - chain.head.height));
      await crowd.isComplete();
      if (killed() > before) withKill += 1;
    }
    for (const line of lines) line.comeBack();
    chain.mine();
    await crowd.isComplete();
    for (const { book } of crowd.listeners) expect(book.differences()).toEqual([]);
    checkReorgs();
    scene.write(name, { reorgs: REORGS, 'blocks removed': removed, 'reorgs with a kill': withKill });
    expect(graph.follower.status.gaps).toBe(0);
    expect(withKill).toBeGreaterThanOrEqual((REORGS * size(0, 45)) / 100);
  },
);

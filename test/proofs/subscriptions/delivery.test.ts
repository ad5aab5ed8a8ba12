import { expect, test } from '@jest/globals';
import { type ClientConnection, EventStreamConnection, WebSocketConnection } from '../../support/clients/connections.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import type { DisconnectKind } from '../../support/simulator/node.ts';
import { DIALECTS } from '../../support/simulator/rpc-simulator.ts';
import { startDeliverySetup } from '../../support/subscriptions/delivery-setup.ts';

/** Delivery from node to client: across failures no event is lost, duplicated or out of order. */
const SEED = readSeed();

const turn = () => new Promise((resolve) => setImmediate(resolve));

const DISCONNECT_KINDS: readonly DisconnectKind[] = ['reset', 'half a frame', 'silence'];

test.each([
  ['the only way to the node', 'ws', runSize(8, 1_000), runSize(800, 100_000), runSize(1, 20)],
  ['one of two ways to the node', 'both', runSize(4, 250), runSize(400, 25_000), runSize(0, 5)],
] as const)(
  `delivery survives kills of a WebSocket that is %s (%s): %i kills, %i logs, and kills of clients (SEED=${SEED})`,
  async (_name, transports, kills, logs, stops) => {
    const setup = await startDeliverySetup({ seed: SEED, transports, dialect: SEED, maxLogsPerBlock: 20 });
    const { draw, upTo, chain, graph, clients, drawFilter, disconnectCount } = setup;
    const checkReorgs = setup.addUninterruptedClient({ subscribesLogs: false });
    const slow = new WebSocketConnection(graph.url);
    const slowly = await clients.subscribeLogs(slow, drawFilter(0.3, 0.5), 'long');
    const connections: ClientConnection[] = [];
    for (let sockets = runSize(3, 8); sockets > 0; sockets--) {
      const connection = new WebSocketConnection(graph.url);
      connections.push(connection);
      clients.subscribeHeads(connection);
      for (let filters = 3; filters > 0; filters--) await clients.subscribeLogs(connection, drawFilter(0.1, 0.6));
    }
    for (let streams = runSize(2, 6); streams > 0; streams--) {
      const connection = new EventStreamConnection(graph.url);
      connections.push(connection);
      await clients.subscribeLogs(connection, drawFilter(0.1, 0.6));
    }
    await clients.waitUntilSubscribed();
    let made = 0;
    /** How many clients had been closed as SLOW_CONSUMER when the slow client stopped reading. */
    let stopped: number | undefined;
    for (let round = 0; disconnectCount() < kills || made < logs || clients.totals.slow < stops; round++) {
      graph.node.announcesBeforeReply = draw() < 0.5;
      graph.node.disconnect(DISCONNECT_KINDS[upTo(3) - 1]!, Math.floor(draw() * 12));
      for (const connection of clients.advanceRound()) if (draw() < 0.5) connection.killAfter(upTo(40));
      for (const connection of connections) {
        if (draw() < 0.05) clients.disconnect(connection, upTo(8));
        else if (draw() < 0.3) connection.killAfter(upTo(60));
      }
      // Sometimes all clients disconnect, so that the streams end.
      if (draw() < 0.02) for (const connection of [...connections, slow]) clients.disconnect(connection, upTo(8));
      if (
        stopped === undefined &&
        !slow.isDisconnected &&
        !slowly.isCatchingUp &&
        clients.totals.slow < (stops * (made + 1)) / logs
      ) {
        stopped = await graph.metric('slow_consumers_total');
        slow.stopReading();
      }
      for (let burst = upTo(4); burst > 0; burst--) {
        const depth = draw() < 0.1 ? upTo(3) : 0;
        const { added } = chain.reorg(depth, depth + upTo(4));
        made += added.reduce((sum, block) => sum + block.logs.length, 0);
        if (draw() < 0.7) await turn();
      }
      if (stopped !== undefined && (slow.isDisconnected || (await graph.metric('slow_consumers_total')) > stopped)) {
        stopped = undefined;
        slow.resumeReading();
        // Waits until the slow client has read SLOW_CONSUMER and resumes.
        await clients.waitUntilComplete((connection) => connection === slow && !connection.isDisconnected);
      }
      // In the other rounds only the server limits the speed.
      const isForAll = round % 4 === 0;
      await clients.waitUntilComplete(
        (connection) => isForAll && !connection.isDisconnected && (connection !== slow || stopped === undefined),
      );
    }
    for (const connection of [...connections, slow]) connection.reconnect();
    slow.resumeReading();
    chain.mine();
    await clients.waitUntilComplete();
    for (const { checker } of clients.subscribers) expect(checker.differences()).toEqual([]);
    checkReorgs();
    setup.printSummary(`kills over ${transports}`, { logs: made });
    expect(graph.follower.status.gaps).toBe(0);
    expect(clients.kills.catchingUp).toBeGreaterThanOrEqual(runSize(0, kills));
  },
);

const REORGS = Math.ceil(runSize(20, 10_000) / DIALECTS.length);
const FAST_DISCONNECT_KINDS: readonly DisconnectKind[] = ['reset', 'half a frame', 'close'];

test.each(DIALECTS.map(([name], dialect) => [name, dialect] as const))(
  `after each of ${REORGS} reorgs, half of them with a kill, every subscriber has what the chain has: %s (SEED=${SEED})`,
  async (name, dialect) => {
    const setup = await startDeliverySetup({ seed: SEED + dialect, transports: 'ws', dialect, maxLogsPerBlock: 2 });
    const { draw, upTo, chain, graph, clients, drawFilter, disconnectCount } = setup;
    const checkReorgs = setup.addUninterruptedClient({ subscribesLogs: true });
    // Two subscribers per filter share a stream and leave it at different times. With rarer logs a cursor could expire.
    const filters = Array.from({ length: runSize(10, 50) }, () => drawFilter(0.08, 0.12));
    const wanted = [...filters, ...filters];
    const connections: ClientConnection[] = [];
    for (let streams = runSize(4, 20); streams > 0; streams--) {
      const connection = new EventStreamConnection(graph.url);
      connections.push(connection);
      await clients.subscribeLogs(connection, wanted.pop()!, 'in the document');
    }
    while (wanted.length > 0) {
      const connection = new WebSocketConnection(graph.url);
      connections.push(connection);
      if (connections.length % 4 === 0) clients.subscribeHeads(connection);
      for (const filter of wanted.splice(-4)) await clients.subscribeLogs(connection, filter, 'in the document');
    }
    await clients.waitUntilSubscribed();
    const killed = () => disconnectCount() + clients.kills.all;
    let removed = 0;
    let withKill = 0;
    for (let round = 0; round < REORGS; round++) {
      const before = killed();
      const { height } = chain.head;
      graph.node.announcesBeforeReply = draw() < 0.5;
      const connection = connections[upTo(connections.length) - 1]!;
      const chance = draw();
      if (chance < 0.3) graph.node.disconnect(draw() < 0.05 ? 'silence' : FAST_DISCONNECT_KINDS[upTo(3) - 1]!, upTo(8) - 1);
      else if (chance < 0.55) connection.killAfter(upTo(6), ...(draw() < 0.3 ? [upTo(4)] : []));
      else if (chance < 0.6) clients.disconnect(connection, 1 + upTo(5));
      for (const back of clients.advanceRound()) if (draw() < 0.5) back.killAfter(upTo(20));
      const depth = upTo(16);
      removed += chain.reorg(depth, draw() < 0.8 ? depth + upTo(3) - 1 : upTo(depth)).removed.length;
      for (let more = draw() < 0.3 ? upTo(3) : 0; more > 0; more--) chain.mine();
      if (draw() < 0.2) removed += chain.reorg(upTo(4), upTo(5)).removed.length;
      // Reorgs stay within the blocks that the follower has read. After a cut connection the follower accepts a lower head, which
      // the node did not announce, with the next block.
      chain.mine(Math.max(0, 60 - chain.head.height, height + 1 - chain.head.height));
      await clients.waitUntilComplete();
      if (killed() > before) withKill += 1;
    }
    for (const connection of connections) connection.reconnect();
    chain.mine();
    await clients.waitUntilComplete();
    for (const { checker } of clients.subscribers) expect(checker.differences()).toEqual([]);
    checkReorgs();
    setup.printSummary(name, { reorgs: REORGS, 'blocks removed': removed, 'reorgs with a kill': withKill });
    expect(graph.follower.status.gaps).toBe(0);
    expect(withKill).toBeGreaterThanOrEqual((REORGS * runSize(0, 45)) / 100);
  },
);

import { expect, test } from '@jest/globals';
import { EventStreamConnection, WebSocketConnection } from '../../support/clients/connections.ts';
import { startTestDevnet } from '../../support/devnet.ts';
import { createMiner, rpcOf, word } from '../../support/graph/consistent-reads.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { SimTransactions } from '../../support/simulator/transactions.ts';
import { DeliveredHeads, DeliveredLogs, LOG_FIELDS } from '../../support/subscriptions/delivered-events.ts';
import { startLiveGraph } from '../../support/subscriptions/live-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

/**
 * Reorgs that remove a block after its announcement and before the reads of its events. The nodes drop removed blocks.
 */
const SEED = readSeed();
const REORGS = runSize(60, 1_000);
const TRANSACTION = `transaction { hash value nonce gasPrice index blockHash from { address } to { address } inputData
  status gasUsed receipt { blockHash cumulativeGasUsed logs { data } } }`;
const BLOCK = 'block { hash timestamp transactionCount transactions { hash value } receipts { gasUsed } }';

const logsQuery = (selection: string): string =>
  `subscription ($after: String) { logs(after: $after) { ${LOG_FIELDS} ${selection} } }`;

test(`no event is lost, repeated or failed by ${REORGS} reorgs before reads of events, with cut sockets (SEED=${SEED})`, async () => {
  const draw = random(SEED);
  const upTo = (n: number) => 1 + Math.floor(draw() * n);
  const chain = new SimChain({ seed: SEED, bloom: 'real', blocks: 40 });
  const graph = await startLiveGraph(chain, { transports: draw() < 0.5 ? 'ws' : 'both' });
  const transactions = new SimTransactions(chain, { hasBlockReceipts: draw() < 0.5, prunesRemovedBlocks: true });
  let reorgs = 0;
  const reorganize = (depth: number, length: number) => {
    reorgs++;
    chain.reorg(depth, length);
  };
  /** Whether the next reads of an event may meet a reorg. */
  let isArmed = false;
  graph.node.intercept = (method, params) => {
    if (isArmed && /^eth_get(Transaction|Block|Balance)/.test(method) && draw() < 0.3) {
      isArmed = false;
      const depth = upTo(6);
      reorganize(depth, depth + upTo(3) - 1);
    }
    return transactions.respond(method, params);
  };
  const { logs: earlier } = await graph.execute(`{ logs(filter: { fromBlock: 0 }) { ${LOG_FIELDS} } }`, {});
  // The first, second and fifth share their executions.
  const selections = [TRANSACTION, TRANSACTION, BLOCK, `${TRANSACTION} ${BLOCK} account { balance }`, TRANSACTION];
  const lines = selections.map((_selection, i) => new (i < 4 ? WebSocketConnection : EventStreamConnection)(graph.url));
  const logClients = selections.map((selection, i) => new DeliveredLogs(lines[i]!, logsQuery(selection), earlier));
  const headClient = new DeliveredHeads(lines[0]!, BLOCK, chain.head.hash);
  const clients = [...logClients, headClient];
  const runs = clients.map((client) => client.run());
  await waitUntil(async () => (await graph.metric('subscriptions')) === clients.length, 'all have subscribed');
  // No reorg reaches the blocks before the subscriptions.
  chain.mine(10);
  const blocks = () => Array.from({ length: chain.head.height + 1 }, (_none, height) => chain.main.at(height)!);
  const isComplete = () => {
    const logs = blocks().flatMap((block) => block.logs);
    return logClients.every((client) => client.has(logs)) && headClient.last === chain.head.hash;
  };
  const waitUntilComplete = () =>
    waitUntil(() => isComplete() || clients.some(({ flaws }) => flaws.length > 0), 'all have the events of the chain');
  while (reorgs < REORGS) {
    for (const line of lines) if (draw() < 0.1) line.killAfter(upTo(20));
    if (draw() < 0.1) graph.node.disconnect((['reset', 'half a frame', 'close'] as const)[upTo(3) - 1]!, upTo(8) - 1);
    isArmed = true;
    chain.mine(upTo(2));
    if (draw() < 0.2) {
      const depth = upTo(6);
      reorganize(depth, depth + upTo(3) - 1);
    }
    if (draw() < 0.6) await waitUntilComplete();
    else for (let turns = upTo(20); turns > 0; turns--) await new Promise(setImmediate);
    if (clients.some(({ flaws }) => flaws.length > 0)) break;
  }
  isArmed = false;
  // Nodes need not announce a head of equal height. The next blocks make the server accept it.
  chain.mine(10);
  await waitUntilComplete();
  for (const line of lines) line.close();
  await Promise.all(runs);
  const kills = lines.reduce((sum, line) => sum + line.kills, 0);
  process.stdout.write(
    `reorg races: ${reorgs} reorgs, ${kills} kills of clients, node ${JSON.stringify(graph.node.disconnects)}, ` +
      `${JSON.stringify(clients.map(({ counts }) => counts))} (SEED=${SEED})\n`,
  );
  expect(clients.flatMap(({ flaws }) => flaws).slice(0, 5)).toEqual([]);
  expect(isComplete()).toBe(true);
});

const ANVIL_REORGS = runSize(40, 360);

test(`no log is lost, repeated or failed by ${ANVIL_REORGS} deep reorgs of anvil, one every 80 ms (SEED=${SEED})`, async () => {
  const draw = random(SEED);
  const devnet = await startTestDevnet();
  const call = rpcOf(devnet);
  const mine = createMiner(devnet);
  await mine(20);
  const { accounts, contracts, nodeService } = devnet.description;
  const graph = await startGraph({ RPC_URL: nodeService.http, RPC_WS_URL: nodeService.ws });
  const { data } = await graph.execute(`{ logs(filter: { fromBlock: 0 }) { ${LOG_FIELDS} } }`);
  const lines = [0, 1].map(() => new WebSocketConnection(graph.url));
  const clients = lines.map((line) => new DeliveredLogs(line, logsQuery(`${TRANSACTION} ${BLOCK}`), data.logs));
  const runs = clients.map((client) => client.run());
  await mine(20);
  const [from, to] = accounts.map(({ address }) => address);
  let amount = 1_000;
  for (let round = 0; round < ANVIL_REORGS; round++) {
    const depth = 1 + Math.floor(draw() * 8);
    const transfers = Array.from({ length: depth }, (_none, block) => {
      const transfer = { from, to: contracts[0]!.address, data: `0xa9059cbb${word(to!)}${word(amount++)}` };
      return [transfer, block];
    });
    await call('anvil_reorg', depth, transfers);
    if (draw() < 0.3) await mine(1);
    await new Promise((resolve) => setTimeout(resolve, 80));
  }
  await mine(1);
  const logs = await call('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' });
  await waitUntil(
    () => clients.every((client) => client.has(logs) || client.flaws.length > 0),
    'both clients have the logs of the chain',
  );
  for (const line of lines) line.close();
  await Promise.all(runs);
  await graph.stop();
  await devnet.stop();
  process.stdout.write(`reorg races on anvil: ${JSON.stringify(clients.map(({ counts }) => counts))} (SEED=${SEED})\n`);
  expect(clients.flatMap(({ flaws }) => flaws).slice(0, 5)).toEqual([]);
});

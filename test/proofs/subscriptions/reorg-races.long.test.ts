import { expect, test } from '@jest/globals';
import { WebSocketConnection } from '../../support/clients/connections.ts';
import { startTestDevnet } from '../../support/devnet.ts';
import { createMiner, rpcOf, word } from '../../support/graph/consistent-reads.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { DeliveredLogs, LOG_FIELDS } from '../../support/subscriptions/delivered-events.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Reorgs that remove a block after its announcement and before the reads of its events, from a node that drops removed blocks. */
const SEED = readSeed();
const TRANSACTION = `transaction { hash value nonce gasPrice index blockHash from { address } to { address } inputData
  status gasUsed receipt { blockHash cumulativeGasUsed logs { data } } }`;
const BLOCK = 'block { hash timestamp transactionCount transactions { hash value } receipts { gasUsed } }';

const logsQuery = (selection: string): string =>
  `subscription ($after: String) { logs(after: $after) { ${LOG_FIELDS} ${selection} } }`;

const ANVIL_REORGS = runSize(40, 360);

test(`no log is lost, repeated or failed by ${ANVIL_REORGS} deep reorgs of anvil, one every 80 ms`, async () => {
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

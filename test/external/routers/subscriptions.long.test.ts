import { beforeAll, expect, test } from '@jest/globals';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
// @ts-expect-error: the examples are plain JavaScript.
import { follow } from '../../../examples/follow.mjs';
import { type ClientConnection, EventStreamConnection, WebSocketConnection } from '../../support/clients/connections.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { startBalancer } from '../../support/proxies/balancer.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { composeSupergraph, HIVE_GATEWAY, HIVE_GATEWAY_WEBSOCKET, startRouter } from './router-processes.ts';
import {
  mineTransfer,
  readDevnet,
  type Subgraphs,
  startSubgraphs,
  upstreamSettings,
  urlsOf,
  waitForHead,
} from './split-graph.ts';

let graph: GraphProcess;
let subgraphs: Subgraphs;
let devnet: DevnetDescription;

beforeAll(async () => {
  graph = await startGraph({ DEVNET_LIFE: 'off', LOG_LEVEL: 'error' });
  devnet = await readDevnet(graph);
  subgraphs = await startSubgraphs({ ...upstreamSettings(devnet), LOG_LEVEL: 'error' });
});

/** A client that follows all logs and resumes after the last one. */
class LogFollower {
  readonly logs: any[] = [];
  /** The errors that ended a subscription. */
  readonly breaks: any[] = [];

  constructor(connection: ClientConnection, query: string, after: string) {
    const cursorOf = ({ logs }: any) => logs.cursor;
    const onBreak = (error: unknown) => void (connection.isClosed || this.breaks.push(error));
    const read = async () => {
      for await (const { logs } of follow(connection, { query, cursorOf, after, onBreak, pauseMs: 10 })) this.logs.push(logs);
    };
    read().catch((error) => this.breaks.push(error));
  }
}

/** `balance` is of the chain, `tokenBalance` of the tokens, `wizards` of the wizards. */
const LOG = () => `cursor index transaction { hash from { balance } }
  account { tokenBalance(contract: "${devnet.contracts[0]!.address}") { tokenBalance } wizards { totalCount } }
  block { number account(address: "${devnet.accounts[0]!.address}") { address balance tokenBalance(contract: "${devnet.contracts[0]!.address}") { tokenBalance } } }`;

test.each([HIVE_GATEWAY, HIVE_GATEWAY_WEBSOCKET])(
  'subscribers of $name have each event once after cut connections to a subgraph, and receive its final errors',
  async (kind) => {
    const balancer = await startBalancer();
    await balancer.addServer(subgraphs.chain.url);
    const router = await startRouter(kind, await composeSupergraph({ ...urlsOf(subgraphs), chain: balancer.url }));
    // All servers have the block of the first cursor only if it is mined after they have started.
    await waitForHead(await mineTransfer(devnet), [graph, subgraphs.chain]);
    const { data: first } = await graph.execute('{ block { number logs(filter: {}) { cursor } } }');
    const connections = [new WebSocketConnection(router.url), new EventStreamConnection(router.url)];
    const query = `subscription ($after: String) { logs(after: $after) { ${LOG()} } }`;
    const followers = connections.map((connection) => new LogFollower(connection, query, first.block.logs.at(-1)!.cursor));
    let mined = 0;
    const mineAndWait = async (blocks: number) => {
      for (let i = 0; i < blocks; i++) await mineTransfer(devnet);
      mined += blocks;
      await waitUntil(() => followers.every(({ logs }) => logs.length >= mined), `each subscriber has ${mined} logs`);
    };

    await mineAndWait(2);
    for (let cut = 0; cut < 3; cut++) {
      const before = followers.map(({ breaks }) => breaks.length);
      balancer.cutConnections();
      await waitUntil(() => followers.every(({ breaks }, i) => breaks.length > before[i]!), 'each subscription has ended');
      await mineAndWait(2);
    }
    const lost = { code: 'UPSTREAM_UNAVAILABLE', retryable: true };
    for (const [error] of followers.flatMap(({ breaks }) => breaks)) expect(error.extensions).toEqual(lost);
    const { data } = await graph.execute(`{ logs(filter: { fromBlock: "${Number(first.block.number) + 1}" }) { ${LOG()} } }`);
    for (const { logs } of followers) expect(logs.map(fixedFields)).toEqual(data.logs.map(fixedFields));

    const expired = `subscription { newHeads(after: "0x${'fe'.repeat(32)}") { number } }`;
    const results: unknown[] = [];
    for await (const result of connections[0]!.iterate({ query: expired })) results.push(result);
    const extensions = expect.objectContaining({ code: 'CURSOR_EXPIRED' });
    expect(results).toEqual([{ errors: [expect.objectContaining({ extensions })] }]);
    for (const connection of connections) connection.close();
    await router.stop();
  },
);

/** Without the state of the log's account and sender, which events read at the block of the log and queries at the head. */
const fixedFields = ({ account, transaction: { hash }, ...log }: any) => ({ ...log, hash, wizards: account.wizards });

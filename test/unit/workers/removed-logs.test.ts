import { expect, test } from '@jest/globals';
import { readHead } from '../../../src/sync/chain/rpc-header.ts';
import { startMirroredChain } from '../../../src/workers/mirrored-chain.ts';
import { startPrimaryChain } from '../../../src/workers/primary-chain.ts';
import { log } from '../../support/silent-log.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';

/** A channel to the handlers of the other side, as JSON. */
const channelTo = (handlers: any): any => {
  const run = (name: string, args: unknown[]) => Promise.resolve(handlers()[name](...JSON.parse(JSON.stringify(args))));
  return {
    send: (name: string, ...args: unknown[]) => void run(name, args),
    request: (name: string, ...args: unknown[]) => run(name, args),
    call: (name: string, args: unknown[], onReply: any) =>
      void run(name, args).then(
        (value) => onReply(value, undefined),
        (error) => onReply(undefined, error),
      ),
  };
};

test('a worker does not read the logs of a removed block that the node lacks for ever', async () => {
  const chain = new SimChain({ seed: 5, bloom: 'real', maxOrphans: 10_000, blocks: 100 });
  const { removed } = chain.reorg(4, 5);
  chain.mine(20);
  const node = await startSimNode({ chain });
  node.intercept = (method, [filter]) =>
    method === 'eth_getLogs' && removed.some(({ hash }) => hash === (filter as any)?.blockHash)
      ? { error: { code: -32_000, message: 'unknown block' } }
      : undefined;
  const settings = {
    RPC_URL: [node.url],
    RPC_WS_URL: node.wsUrl,
    RPC_TIMEOUT_MS: 2_000,
    RPC_BATCH: 100,
    HEADER_CHECKS: 'on',
    NODE_METHODS: 'auto',
  };
  const observer = { start: () => ({ trace: undefined, end() {} }), recordCall() {} };
  const sources = [settings, undefined, log, observer] as any;
  const primary = await startPrimaryChain(sources, []);
  const workerHandlers: any = {};
  const { handlers } = primary.serveWorker({
    id: 1,
    channel: channelTo(() => workerHandlers),
    kill() {},
    onJoin() {},
    hasEnded: () => false,
  });
  const worker = startMirroredChain(
    channelTo(() => handlers),
    workerHandlers,
    undefined,
    sources,
  );
  await worker.firstHead;
  const orphan = readHead((removed[0] as any).header ?? removed[0])!;
  const outcome = await Promise.race([
    worker.feed.logsOf(orphan, new AbortController().signal, true).catch((error) => error.code),
    new Promise((resolve) => setTimeout(resolve, 20_000, 'still waiting')),
  ]);
  await primary.stop();
  await node.stop();
  expect(outcome).toBe('GAP_TOO_LARGE');
});

import type { DisconnectKind } from '../support/simulator/node.ts';
import { createForgeries } from './forgeries.ts';
import type { WizardReads } from './wizards.ts';
import type { World } from './world.ts';

/** Which faults a world has beside those of the node and of the network. */
interface FaultOptions {
  readonly kills: boolean;
  /** Whether the node returns false results, which its headers contradict. */
  readonly forgeries: boolean;
  readonly wizards: Pick<WizardReads, 'url' | 'fail'> | undefined;
}

/** The faults of the upstreams, of the network and of the processes of the server. */
export function createFaults(world: World, { kills, forgeries, wizards }: FaultOptions) {
  const { draw, network, node, cluster, pause } = world;
  const portOf = (url: string): number => Number(new URL(url).port);
  const [nodePort, serverPort] = [portOf(node.url), portOf(world.url)];
  const ends = new Set<() => void>();
  const forAWhile = (maxMs: number, end: () => void) => {
    ends.add(end);
    void pause(draw.below(maxMs)).then(() => ends.delete(end) && end());
  };
  const forge = createForgeries(world);
  const onWorker = (act: (id: number) => void) => () => {
    if (cluster.workerIds.length > 0) act(draw.pick(cluster.workerIds));
  };
  const faults: (() => void)[] = [
    () => network.cut(nodePort),
    () => network.cut(serverPort),
    () => network.stall(nodePort, draw.below(12_000)),
    () => network.stall(serverPort, draw.below(5_000)),
    () => forAWhile(10_000, network.refuse(nodePort)),
    () => node.forgetSubscriptions(),
    () => node.disconnect(draw.pick<DisconnectKind>(['reset', 'half a frame', 'close', 'silence'])),
    () => {
      node.isMuted = true;
      forAWhile(15_000, () => (node.isMuted = false));
    },
    () => {
      node.ignoresSocketReads = true;
      forAWhile(8_000, () => (node.ignoresSocketReads = false));
    },
    () => {
      const failures = draw.below(11);
      const error = draw.pick([
        { code: -32005, message: 'limit exceeded' },
        { code: -32603, message: 'internal error' },
        // It would prove that the node reads the name of a block hash, and that removed blocks are lost to a server that has just started.
        ...(node.logFilterNames.blockhash === 'ignored' || kills ? [] : [{ code: -32000, message: 'header not found' }]),
      ]);
      let count = 0;
      world.setNodeFault(() => (++count % 10 < failures ? { error } : undefined));
      forAWhile(8_000, () => world.setNodeFault(undefined));
    },
    () => {
      node.logDelayMs = () => draw.below(3_000);
      forAWhile(10_000, () => (node.logDelayMs = undefined));
    },
    ...(kills ? [() => void world.killServer().catch(world.fail)] : []),
    ...(cluster.workerIds.length > 0 ? [onWorker(cluster.kill), onWorker((id) => cluster.stall(id, draw.below(10_000)))] : []),
    ...(wizards
      ? [
          () => forAWhile(8_000, wizards.fail()),
          () => network.cut(portOf(wizards.url)),
          () => network.stall(portOf(wizards.url), draw.below(8_000)),
          () => forAWhile(8_000, network.refuse(portOf(wizards.url))),
        ]
      : []),
    ...(forgeries
      ? [
          () => {
            const share = draw.below(10) / 10;
            world.setNodeFault((...call) => (draw.chance(share) ? forge(...call) : undefined));
            forAWhile(8_000, () => world.setNodeFault(undefined));
          },
        ]
      : []),
    // A backend that lacks a block returns an empty list, as for a block without logs.
    ...(node.views.length > 1
      ? []
      : [
          () => {
            node.hidesUnknownBlocks = true;
            forAWhile(10_000, () => (node.hidesUnknownBlocks = false));
          },
        ]),
  ];
  return {
    cause: () => draw.pick(faults)(),
    end(): void {
      for (const end of ends) end();
      ends.clear();
    },
  };
}

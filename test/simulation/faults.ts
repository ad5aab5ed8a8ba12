import type { DisconnectKind } from '../support/simulator/node.ts';
import type { SimulationOptions, World } from './world.ts';

/** The faults of the node, of the network and of the process of the server. */
export function createFaults(world: World, { kills }: Pick<SimulationOptions, 'kills'>) {
  const { draw, network, node, pause } = world;
  const nodePort = Number(new URL(node.url).port);
  const serverPort = Number(new URL(world.url).port);
  const ends = new Set<() => void>();
  const forAWhile = (maxMs: number, end: () => void) => {
    ends.add(end);
    void pause(draw.below(maxMs)).then(() => ends.delete(end) && end());
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
        // It would prove that the node reads the name of a block hash.
        ...(node.logFilterNames.blockhash === 'ignored' ? [] : [{ code: -32000, message: 'header not found' }]),
      ]);
      let count = 0;
      world.setNodeFault(() => (++count % 10 < failures ? { error } : undefined));
      forAWhile(8_000, () => world.setNodeFault(undefined));
    },
    () => {
      node.logDelayMs = () => draw.below(3_000);
      forAWhile(10_000, () => (node.logDelayMs = undefined));
    },
    ...(kills ? [() => void world.killServer()] : []),
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

import cluster from 'node:cluster';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { moveConnection } from './network.ts';

/** The workers of a server of several processes: parts of this process, which pass messages to its primary process. */
export interface VirtualCluster {
  /** Starts a worker; resolves when it has stopped. */
  runWorker: (id: number, port: NodeJS.Process) => Promise<void>;
  /** Returns the delay of the next message in milliseconds. */
  delayMs: () => number;
  readonly workerIds: readonly number[];
  /** Kills a worker: what it sends afterwards does not arrive, and its connections to clients are reset. */
  kill(id: number): void;
  /** Holds the messages to and from a worker for some time, as of a process that is stopped. */
  stall(id: number, milliseconds: number): void;
  /** Forgets all workers. */
  reset(): void;
}

/** A worker as the primary process sees it. It has the members of `cluster.Worker` that the server uses. */
interface VirtualWorker extends EventEmitter {
  readonly process: { readonly pid: number; send(message: unknown, connection?: Socket): void; kill(): void };
  stall(milliseconds: number): void;
}

/** Replaces `node:cluster`. */
export function installVirtualCluster(): VirtualCluster {
  let lastId = 0;
  const workers: Record<number, VirtualWorker> = {};
  const virtual: VirtualCluster = {
    runWorker: async () => {},
    delayMs: () => 1,
    get workerIds() {
      return Object.keys(workers).map(Number);
    },
    kill: (id) => workers[id]!.process.kill(),
    stall: (id, milliseconds) => workers[id]!.stall(milliseconds),
    reset() {
      lastId = 0;
      for (const id of virtual.workerIds) delete workers[id];
    },
  };

  /** Returns a function that calls what it is given later, in order, and not before `heldUntil`. */
  const createPipe = (heldUntil: () => number) => {
    let arrivesAt = 0;
    return (arrive: () => void): void => {
      const now = performance.now();
      arrivesAt = Math.max(arrivesAt, now + virtual.delayMs(), heldUntil());
      setTimeout(arrive, arrivesAt - now);
    };
  };

  const fork = (): VirtualWorker => {
    lastId += 1;
    const id = lastId;
    let isDead = false;
    const connections = new Set<Socket>();
    let heldUntil = 0;
    const [toPrimary, toWorker] = [createPipe(() => heldUntil), createPipe(() => heldUntil)];
    const stall = (milliseconds: number): void => {
      heldUntil = performance.now() + milliseconds;
    };
    const end = (code: number | null, signal: string | null): void => {
      if (isDead) return;
      isDead = true;
      heldUntil = 0;
      delete workers[id];
      for (const connection of connections) connection.destroy();
      // After what it has sent before.
      toPrimary(() => worker.emit('exit', code, signal));
    };
    const port = Object.assign(new EventEmitter(), {
      send(message: unknown) {
        const text = JSON.stringify(message);
        if (!isDead) toPrimary(() => worker.emit('message', JSON.parse(text)));
        return true;
      },
    });
    const send = (message: unknown, connection?: Socket): void => {
      const text = JSON.stringify(message);
      toWorker(() => {
        if (isDead) return;
        const received = connection && moveConnection(connection);
        if (received) connections.add(received.once('close', () => connections.delete(received)));
        port.emit('message', JSON.parse(text), received);
      });
    };
    const kill = (): void => {
      end(null, 'SIGKILL');
      // Ends its timers and its connections to the upstreams.
      port.emit('SIGINT');
    };
    const worker: VirtualWorker = Object.assign(new EventEmitter(), {
      ...{ id, send, stall, isDead: () => isDead, process: { pid: 1_000 + id, send, kill } },
    });
    workers[id] = worker;
    toWorker(() => void virtual.runWorker(id, port as never).then(() => end(0, null)));
    return worker;
  };
  Object.assign(cluster, { fork, workers, setupPrimary: () => {} });
  return virtual;
}

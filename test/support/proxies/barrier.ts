import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A way to a node on which nothing is read while its chain is moved. */
export interface Barrier {
  readonly url: string;
  /** Runs something while nothing is read: it waits for what is being read, and what comes meanwhile waits for it. */
  runExclusive<T>(move: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/**
 * Opens a gate before a node. anvil looks a block hash up first and reads state at its height afterwards, so what moves the chain in
 * between would give it the state of another branch; a node that reads at once has no such moment.
 */
export async function startBarrier(target: string): Promise<Barrier> {
  const reading = new Set<Promise<unknown>>();
  let moving: Promise<unknown> | undefined;

  const read = async (request: IncomingMessage): Promise<string> => {
    let body = '';
    for await (const chunk of request) body += chunk;
    while (moving) await moving;
    const answer = fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const text = answer.then((response) => response.text());
    reading.add(text);
    return text.finally(() => reading.delete(text));
  };

  const server = createServer((request, response) => {
    read(request).then(
      (text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async runExclusive(move) {
      const moved = Promise.allSettled([...reading]).then(move);
      moving = moved.catch(() => {});
      try {
        return await moved;
      } finally {
        moving = undefined;
      }
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

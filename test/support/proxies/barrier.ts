import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { startTestServer } from '../test-server.ts';

/**
 * Starts a proxy in front of a node that holds back reads while a test changes the chain. anvil first looks up a block hash and then reads the state at the height of the block. A reorg between both
 * steps would make it return the state of another branch, which a node that reads in one step never does.
 */
export async function startBarrier(target: string) {
  const reading = new Set<Promise<unknown>>();
  let moving: Promise<unknown> | undefined;

  const read = async (request: IncomingMessage): Promise<string> => {
    const body = await text(request);
    while (moving) await moving;
    const answer = fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const answered = answer.then((response) => response.text());
    reading.add(answered);
    return answered.finally(() => reading.delete(answered));
  };

  const server = createServer((request, response) => {
    read(request).then(
      (text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
      () => response.destroy(),
    );
  });
  const { url, stop } = await startTestServer(server);
  return {
    url,
    /** Waits for the reads in flight, then calls `move` and holds back new reads until it ends. */
    async runExclusive<T>(move: () => Promise<T>): Promise<T> {
      const moved = Promise.allSettled([...reading]).then(move);
      moving = moved.catch(() => {});
      try {
        return await moved;
      } finally {
        moving = undefined;
      }
    },
    stop,
  };
}

export type Barrier = Awaited<ReturnType<typeof startBarrier>>;

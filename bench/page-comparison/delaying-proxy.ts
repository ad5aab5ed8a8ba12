import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { readBody } from '../http-helpers.ts';

/** A proxy that delays each request and counts them, and the JSON-RPC calls in them. */
export interface CountingProxy {
  readonly url: string;
  /** The requests and calls since the last call. */
  takeCounts(): { readonly requests: number; readonly calls: number };
  stop(): void;
}

/** Starts a proxy on a free port whose requests arrive at the target after `delayMs`. */
export async function startCountingProxy(target: string, delayMs: number): Promise<CountingProxy> {
  let [requests, calls] = [0, 0];
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    requests += 1;
    calls += [JSON.parse(body)].flat().length;
    await wait(delayMs);
    const headers = { 'content-type': 'application/json', accept: request.headers.accept ?? '*/*' };
    const upstream = await fetch(target, { method: 'POST', headers, body });
    response.writeHead(upstream.status, { 'content-type': upstream.headers.get('content-type') ?? 'application/json' });
    response.end(await upstream.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    takeCounts() {
      const counts = { requests, calls };
      [requests, calls] = [0, 0];
      return counts;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

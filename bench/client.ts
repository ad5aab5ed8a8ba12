import { Pool } from 'undici';
import type { Scenario } from './scenarios.ts';

/** One request is executed while the other is transferred. */
export const DEFAULT_CONNECTIONS = 2;

export interface UpstreamCounts {
  readonly http: number;
  readonly calls: number;
}

/** A GraphQL client of one program, over keep-alive connections, each with one request at a time. */
export interface BenchmarkClient {
  /** Sends the n-th request and returns the response body. Rejects for a response with errors. */
  request(scenario: Scenario, n: number): Promise<string>;
  /** Sends requests `from` up to `to`, or those that start within `withinMs`; returns the number of the next one. */
  load(scenario: Scenario, from: number, to: number, withinMs?: number): Promise<number>;
  close(): Promise<void>;
}

export function createBenchmarkClient(url: string, connections = DEFAULT_CONNECTIONS): BenchmarkClient {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections, headersTimeout: 0, bodyTimeout: 0 });
  const request = async ({ name, query, variables }: Scenario, n: number): Promise<string> => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ operationName: name, query, variables: variables(n) }),
    });
    const text = await body.text();
    if (statusCode === 200 && text.startsWith('{"data"')) return text;
    throw new Error(`${url} responded to "${name}" with ${statusCode}: ${text.slice(0, 500)}`);
  };
  return {
    request,
    async load(scenario, from, to, withinMs = Number.POSITIVE_INFINITY) {
      const end = performance.now() + withinMs;
      let next = from;
      const worker = async () => {
        while (next < to && performance.now() < end) await request(scenario, next++);
      };
      await Promise.all(Array.from({ length: connections }, worker));
      return next;
    },
    close: () => pool.close(),
  };
}

/** Returns the requests and calls that the stub received since the previous count, and resets the count. */
export async function takeUpstreamCounts(stubUrl: string): Promise<UpstreamCounts> {
  const url = new URL('/counts', stubUrl);
  const counts = (await (await fetch(url)).json()) as UpstreamCounts;
  await fetch(url, { method: 'DELETE' });
  return counts;
}

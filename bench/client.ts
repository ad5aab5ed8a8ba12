import { Pool } from 'undici';
import type { Scenario } from './scenarios.ts';

/** Requests under way at a time: one is answered while the other is on its way. */
const MAX_IN_FLIGHT = 2;

export interface UpstreamCounts {
  readonly http: number;
  readonly calls: number;
}

/** Asks one program, over connections that stay open. */
export interface BenchmarkClient {
  /** The answer of the n-th request; an answer with errors is an error. */
  request(question: Scenario, n: number): Promise<string>;
  /** Asks requests `from` up to `to`, a few at a time, or as many as begin in that time; gives the number of the next one. */
  load(question: Scenario, from: number, to: number, withinMs?: number): Promise<number>;
  close(): Promise<void>;
}

export function createBenchmarkClient(url: string): BenchmarkClient {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: MAX_IN_FLIGHT, headersTimeout: 0, bodyTimeout: 0 });
  const request = async ({ name, query, variables }: Scenario, n: number): Promise<string> => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ operationName: name, query, variables: variables(n) }),
    });
    const text = await body.text();
    if (statusCode === 200 && text.startsWith('{"data"')) return text;
    throw new Error(`${url} answered "${name}" with ${statusCode}: ${text.slice(0, 500)}`);
  };
  return {
    request,
    async load(question, from, to, withinMs = Number.POSITIVE_INFINITY) {
      const end = performance.now() + withinMs;
      let next = from;
      const worker = async () => {
        while (next < to && performance.now() < end) await request(question, next++);
      };
      await Promise.all(Array.from({ length: MAX_IN_FLIGHT }, worker));
      return next;
    },
    close: () => pool.close(),
  };
}

/** What the stub has been asked since the last time. */
export async function takeUpstreamCounts(stubUrl: string): Promise<UpstreamCounts> {
  const url = new URL('/counts', stubUrl);
  const counts = (await (await fetch(url)).json()) as UpstreamCounts;
  await fetch(url, { method: 'DELETE' });
  return counts;
}

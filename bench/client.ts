import { Pool } from 'undici';
import type { Question } from './questions.ts';

/** Requests under way at a time: one is answered while the other is on its way. */
const CONCURRENCY = 2;

export interface Counts {
  readonly http: number;
  readonly calls: number;
}

/** Asks one program, over connections that stay open. */
export interface Client {
  /** The answer of the n-th request; an answer with errors is an error. */
  ask(question: Question, n: number): Promise<string>;
  /** Asks requests `from` up to `to`, a few at a time, or as many as begin in that time; gives the number of the next one. */
  load(question: Question, from: number, to: number, withinMs?: number): Promise<number>;
  close(): Promise<void>;
}

export function openClient(url: string): Client {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: CONCURRENCY, headersTimeout: 0, bodyTimeout: 0 });
  const ask = async ({ name, query, variables }: Question, n: number): Promise<string> => {
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
    ask,
    async load(question, from, to, withinMs = Number.POSITIVE_INFINITY) {
      const end = performance.now() + withinMs;
      let next = from;
      const worker = async () => {
        while (next < to && performance.now() < end) await ask(question, next++);
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, worker));
      return next;
    },
    close: () => pool.close(),
  };
}

/** What the stub has been asked since the last time. */
export async function takeCounts(stubUrl: string): Promise<Counts> {
  const url = new URL('/counts', stubUrl);
  const counts = (await (await fetch(url)).json()) as Counts;
  await fetch(url, { method: 'DELETE' });
  return counts;
}

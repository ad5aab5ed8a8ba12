import { readFileSync } from 'node:fs';
import { Kind, parse } from 'graphql';
import { Pool } from 'undici';
import type { GraphProcess } from '../../support/graph/running-graph.ts';
import { createRandomChoices, type RandomChoices } from '../../support/random-choices.ts';
import { assertNoSecret } from '../../support/secrets.ts';
import { checkResponse, parseJson } from './check-response.ts';
import type { FuzzOperation } from './operations.ts';
import { describeRequest, type FuzzRequest, truncate } from './requests.ts';
import { type FuzzResponse, send } from './send-request.ts';

const CONCURRENCY = 16;
/** No more is looked for once so many requests have failed: they tell enough. */
const MAX_FAILURES = 5;

/** What came of a run. */
export interface FuzzReport {
  /** Each request that was not answered as it should be, with the answer; what took longest comes first. */
  readonly failures: readonly string[];
  readonly seconds: number;
  /** How many requests there were of each kind, and answers of each status, code and outcome. */
  readonly counts: Readonly<Record<string, number>>;
  /** The fields of `Query` that were executed without an error, with the number of executions. */
  readonly executed: ReadonlyMap<string, number>;
  /** Longest answer, in characters, and longest wait for one, in ms. */
  readonly maxima: { longest: number; slowest: number };
  /** Resident memory of the program in MB, from the first request to the last; empty where the system does not tell it. */
  readonly memory: readonly number[];
}

/** Sends so many drawn requests to a graph, several at once, and looks at each answer. */
export async function fuzz(
  graph: GraphProcess,
  from: number,
  requests: number,
  draw: (draw: RandomChoices) => FuzzRequest,
): Promise<FuzzReport> {
  const pool = new Pool(graph.url, { connections: CONCURRENCY, headersTimeout: 0, bodyTimeout: 0 });
  const failures: { took: number; text: string }[] = [];
  const counts: Record<string, number> = {};
  const executed = new Map<string, number>();
  const maxima = { longest: 0, slowest: 0 };
  const memory: number[] = [];
  let next = 0;

  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };

  function record(request: FuzzRequest, { status, body }: FuzzResponse): void {
    maxima.longest = Math.max(maxima.longest, body.length);
    const { data, errors } = parseJson(body) ?? {};
    for (const what of [request.kind, `status ${status}`]) count(what);
    for (const error of [errors ?? []].flat()) count(error?.extensions?.code);
    if (!request.operation) return;
    count(data && !errors ? 'executed' : data === undefined ? 'not executed' : 'executed with errors');
    for (const field of executedFields(request.operation, { data, errors })) executed.set(field, (executed.get(field) ?? 0) + 1);
  }

  async function one(at: number): Promise<void> {
    // Each request has a seed of its own, so that it is the same whatever the others do.
    const request = draw(createRandomChoices(Math.imul(from + 1, 0x9e3779b1) ^ Math.imul(at + 1, 0x85ebca6b)));
    const started = performance.now();
    const took = () => Math.round(performance.now() - started);
    const fail = (what: string) =>
      failures.push({ took: took(), text: `request ${at}: ${what}, ${took()} ms\n${describeRequest(request)}` });
    try {
      const answer = await send(pool, new URL(graph.url), request);
      maxima.slowest = Math.max(maxima.slowest, took());
      record(request, answer);
      assertNoSecret(answer.body.slice(0, 16 * 1024), 'the answer');
      const wrong = checkResponse(request, answer);
      if (wrong) fail(`${wrong}; ${answer.status} ${answer.type} ${truncate(answer.body)}`);
    } catch (error) {
      fail(String(error));
    }
  }

  async function worker(): Promise<void> {
    while (next < requests && failures.length < MAX_FAILURES && isRunning(graph)) {
      const at = next;
      next += 1;
      await one(at);
      const held = at % Math.ceil(requests / 500) === 0 ? residentMemoryMb(graph) : undefined;
      if (held !== undefined) memory.push(held);
    }
  }

  const started = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  const texts = failures.sort((a, b) => b.took - a.took).map(({ text }) => text);
  return { failures: texts, seconds, counts, executed, maxima, memory };
}

/** The root fields of a query that were executed without an error. Those within fragments are left out. */
function executedFields({ query, isQuery }: FuzzOperation, { data, errors }: { data?: any; errors?: any }): string[] {
  if (!isQuery || !data) return [];
  const failed = new Set([errors ?? []].flat().map((error) => error?.path?.[0]));
  // A query with a value is valid, so that it can be parsed.
  const [operation] = parse(query).definitions;
  const selections = operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections : [];
  return selections.flatMap((field) => {
    if (field.kind !== Kind.FIELD) return [];
    const key = (field.alias ?? field.name).value;
    return key in data && !failed.has(key) ? [field.name.value] : [];
  });
}

export const isRunning = ({ process }: GraphProcess): boolean => process.exitCode === null && process.signalCode === null;

/** The program's resident memory in MB; undefined where the system does not tell it. */
function residentMemoryMb(graph: GraphProcess): number | undefined {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${graph.process.pid}/status`, 'utf8'))![1]) / 1024;
  } catch {
    return undefined;
  }
}

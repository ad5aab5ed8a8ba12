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
/** The run ends after this number of failed requests. */
const MAX_FAILURES = 5;

/** Sends generated requests to a graph concurrently and checks each response. */
export async function fuzz(graph: GraphProcess, from: number, requests: number, draw: (draw: RandomChoices) => FuzzRequest) {
  const pool = new Pool(graph.url, { connections: CONCURRENCY, headersTimeout: 0, bodyTimeout: 0 });
  const failures: { took: number; text: string }[] = [];
  /** Number of requests by kind, and of responses by status, code and outcome. */
  const counts: Record<string, number> = {};
  /** The fields of `Query` that were executed without an error, with the number of executions. */
  const executed = new Map<string, number>();
  /** Resident memory of the program in MB, from the first request to the last; empty where the system does not report it. */
  const memory: number[] = [];
  let next = 0;

  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };

  function record(request: FuzzRequest, { status, body }: FuzzResponse): void {
    const { data, errors } = parseJson(body) ?? {};
    for (const what of [request.kind, `status ${status}`]) count(what);
    for (const error of [errors ?? []].flat()) count(error?.extensions?.code);
    if (!request.operation) return;
    count(data && !errors ? 'executed' : data === undefined ? 'not executed' : 'executed with errors');
    for (const field of executedFields(request.operation, { data, errors })) executed.set(field, (executed.get(field) ?? 0) + 1);
  }

  async function one(at: number): Promise<void> {
    // One seed per request: a request does not depend on the others.
    const request = draw(createRandomChoices(Math.imul(from + 1, 0x9e3779b1) ^ Math.imul(at + 1, 0x85ebca6b)));
    const started = performance.now();
    const took = () => Math.round(performance.now() - started);
    const fail = (what: string) =>
      failures.push({ took: took(), text: `request ${at}: ${what}, ${took()} ms\n${describeRequest(request)}` });
    try {
      const response = await send(pool, graph.url, request);
      record(request, response);
      assertNoSecret(response.body.slice(0, 16 * 1024), 'the response');
      const problem = checkResponse(request, response);
      if (problem) fail(`${problem}; ${response.status} ${response.type} ${truncate(response.body)}`);
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

  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  await pool.close();
  // The slowest first.
  const texts = failures.sort((a, b) => b.took - a.took).map(({ text }) => text);
  return { failures: texts, counts, executed, memory };
}

/** The root fields of a query that were executed without an error, except fields within fragments. */
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

/** The program's resident memory in MB; undefined where the system does not report it. */
function residentMemoryMb(graph: GraphProcess): number | undefined {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${graph.process.pid}/status`, 'utf8'))![1]) / 1024;
  } catch {
    return undefined;
  }
}

import { type ExecutionResult, graphql } from 'graphql';
import { pino } from 'pino';
import { chain } from '../../src/domains/chain/index.ts';
import { GraphError } from '../../src/errors.ts';
import { compose } from '../../src/graphql/compose.ts';
import { formatError } from '../../src/graphql/format-error.ts';
import { type Node, openNode } from '../../src/upstream/node.ts';
import { assertNoSecret } from './secrets.ts';

const schema = compose([chain]);

/** The graph in this process over endpoints that a test runs; everything below it is real. */
export interface GraphOver {
  readonly node: Node;
  ask<T = any>(
    query: string,
    options?: { variables?: Record<string, unknown>; deadlineMs?: number },
  ): Promise<{ data: T; errors?: any[] }>;
  close(): Promise<void>;
}

/** `urls` carry the key that must not be seen again: `withKey`, or the URL of a proxy. */
export function graphOver(
  urls: readonly string[],
  { timeoutMs = 5_000, maxBlocks = 100, maxLogs = 10_000 }: { timeoutMs?: number; maxBlocks?: number; maxLogs?: number } = {},
): GraphOver {
  const node = openNode({ urls, batch: 100, timeoutMs, log: pino({ level: 'silent' }) });
  const loadersOf = chain.open({ node, maxBlocks, maxLogs });
  return {
    node,
    async ask(source, { variables, deadlineMs = 10_000 } = {}) {
      const controller = new AbortController();
      const operation = { requestId: 'test', signal: controller.signal };
      const timer = setTimeout(() => controller.abort(new GraphError('TIMEOUT', 'The operation took too long.')), deadlineMs);
      const contextValue = { operation, chain: loadersOf(operation) };
      const { data, errors } = (await graphql({
        schema,
        source,
        variableValues: variables ?? null,
        contextValue,
      })) as ExecutionResult<any>;
      clearTimeout(timer);
      const answer = { data, ...(errors && { errors: errors.map((error) => formatError(error.toJSON(), error)) }) };
      assertNoSecret(JSON.stringify(answer), 'an answer');
      return answer;
    },
    close: () => node.close(),
  };
}

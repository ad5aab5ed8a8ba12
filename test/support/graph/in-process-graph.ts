import { type ExecutionResult, graphql } from 'graphql';
import { readTokenLists, type TokenLists } from '../../../src/config/token-lists.ts';
import { chain } from '../../../src/domains/chain/index.ts';
import { createChainLoaders } from '../../../src/domains/chain/load.ts';
import { tokens } from '../../../src/domains/tokens/index.ts';
import { createTokenLoaders } from '../../../src/domains/tokens/loaders/index.ts';
import type { AbiRegistry } from '../../../src/ethereum/abi/registry.ts';
import { createExecutor, JsonText } from '../../../src/graphql/executor/index.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';
import { formatError } from '../../../src/graphql/format-error.ts';
import { GraphError } from '../../../src/lib/errors.ts';
import { NO_BUDGET_LIMITS, OperationBudget } from '../../../src/lib/operation-budget.ts';
import type { Operation } from '../../../src/operation/operation.ts';
import { ResponseDependencies } from '../../../src/operation/response-dependencies.ts';
import { parseVerification, TrustRecord } from '../../../src/operation/trust.ts';
import { trustReport } from '../../../src/operation/trust-report.ts';
import { Snapshot, type SnapshotSources } from '../../../src/snapshot/index.ts';
import type { HeaderChecksMode } from '../../../src/upstream/rpc/header-check-policy.ts';
import { createRpcNode, type RpcNode } from '../../../src/upstream/rpc/node.ts';
import { stopAfterTests } from '../cleanups.ts';
import { executionRequest } from '../executor/execution-request.ts';
import { assertNoSecret } from '../secrets.ts';
import { log } from '../silent-log.ts';
import { startIdleFeed } from '../subscriptions/idle-feed.ts';
import { NO_STREAMS } from './no-streams.ts';
import { createDocumentParser } from './parsed-documents.ts';
import type { DataOf, GraphResponse, ResponseErrors } from './results.ts';
import { unsyncedSources } from './unsynced-follower.ts';

/** The schema of the domains whose loaders the graph has. The tournament would cost each test file its imports. */
export const chainSchema = composeSchema([chain, tokens]);
const executor = createExecutor(chainSchema);

const parseDocument = createDocumentParser(chainSchema);

/** A response, with the data as a client parses it. */
export interface InProcessResponse<T = any> extends GraphResponse<T> {
  /** The upstream calls of the operation, when `maxCost` is set. */
  readonly budget?: OperationBudget;
}

/** The graph in this process over endpoints of a test; every layer is real. */
export interface InProcessGraph {
  readonly node: RpcNode;
  execute<const Text extends string, T = DataOf<Text>>(
    query: Text,
    /** `verify`: the value of `x-graph-verify`. */
    options?: { variables?: Record<string, unknown>; deadlineMs?: number; block?: string; verify?: string },
  ): Promise<InProcessResponse<T>>;
  close(): Promise<void>;
}

/** Limits and snapshot sources; without a follower, operations read the head from the node. */
export interface InProcessGraphOptions extends Partial<Omit<SnapshotSources, 'node'>> {
  /** Timeout of a request to the node, which is then repeated: a busy machine must not reach it. */
  readonly timeoutMs?: number;
  readonly headerChecks?: HeaderChecksMode;
  readonly maxBlocks?: number;
  readonly maxLogs?: number;
  /** Whether COMPATIBILITY is eip1767. */
  readonly isDropIn?: boolean;
  /** MAX_COST of each operation while it runs; unlimited when left out. */
  readonly maxCost?: number;
  /** The standards when left out. */
  readonly abis?: AbiRegistry;
  /** None when left out. */
  readonly lists?: TokenLists;
}

/** `urls` carry the secret key of the tests: `withNodeKey`, or the URL of a proxy. */
export function createInProcessGraph(
  urls: readonly string[],
  {
    timeoutMs = 30_000,
    headerChecks = 'on',
    maxBlocks = 100,
    maxLogs = 10_000,
    isDropIn,
    maxCost,
    abis,
    lists = readTokenLists([], []),
    ...sources
  }: InProcessGraphOptions = {},
): InProcessGraph {
  const node = createRpcNode({ urls, maxBatchSize: 100, timeoutMs, headerChecks, log });
  const idle = startIdleFeed();
  const chainOf = createChainLoaders({
    streams: NO_STREAMS,
    ...(abis && { abis }),
    maxBlocks,
    maxLogs,
    isDropIn,
    service: { version: '0.0.0', limits: [] },
    subscriptionSources: { feed: idle.feed, snapshotSources: { ...unsyncedSources(node), ...sources } },
  });
  const tokensOf = createTokenLoaders({ enhancedMethods: 'auto', lists, ...(abis && { abis }) });
  const contextOf = (operation: Operation) => {
    const view = new Snapshot({ ...unsyncedSources(node), ...sources }, operation);
    const loaders = { operation, chain: chainOf(view), tokens: tokensOf(view) };
    const chainId = () => node.chainId(operation.signal);
    const context: object = { ...loaders, chainId, contextOfChain: () => context, contextsOfChains: () => [context] };
    return context;
  };
  return {
    node,
    async execute(source, { variables, deadlineMs = 60_000, block, verify } = {}) {
      const controller = new AbortController();
      const limits = { ...NO_BUDGET_LIMITS, MAX_COST: maxCost ?? Number.POSITIVE_INFINITY };
      const budget = new OperationBudget(limits, (error) => controller.abort(error));
      const verification = parseVerification(verify, 'verify');
      const own: Operation = {
        trust: verification && new TrustRecord(verification),
        requestId: 'test',
        signal: controller.signal,
        block,
        extensions: {},
        dependencies: new ResponseDependencies(),
        budget,
      };
      const timer = setTimeout(() => controller.abort(new GraphError('TIMEOUT', 'The operation took too long.')), deadlineMs);
      const { document, validationErrors } = parseDocument(source);
      const request = validationErrors.length === 0 ? executionRequest(chainSchema, document, { variables }) : undefined;
      const executed = request && (await executor.execute({ ...request, context: contextOf(own), budget }));
      // Invalid documents get the errors of graphql-js, as behind Apollo Server.
      const { data, errors } =
        executed ?? ((await graphql({ schema: chainSchema, source, variableValues: variables ?? null })) as ExecutionResult);
      clearTimeout(timer);
      if (own.trust && request) own.extensions.trust = trustReport(chainSchema, request, chain.evidence!, own.trust);
      const response = {
        data: data instanceof JsonText ? (data.toJSON() as any) : data,
        ...(errors && { errors: errors.map((error) => formatError(error.toJSON(), error)) as unknown as ResponseErrors }),
        ...(maxCost !== undefined && { budget }),
        ...(Object.keys(own.extensions).length > 0 && { extensions: own.extensions }),
      };
      assertNoSecret(JSON.stringify(response), 'a response');
      return response;
    },
    close: stopAfterTests(async () => {
      await idle.stop();
      await node.close();
    }),
  };
}

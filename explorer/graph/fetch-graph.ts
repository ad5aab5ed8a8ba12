import { type GraphError, type GraphResult, HttpError } from '@grimoire/client';
import { askForKey, keyHeaders, refusalIn } from '../../playground/caller-key.ts';
import { problemOf, ServerBusy } from '../data/problems.ts';
import { pageChain } from './chain.ts';
import { ofChain, onChain, readsAllChains } from './chain-document.ts';
import { graphUrl } from './endpoint.ts';
import { withoutInvalidFragments } from './optional-fragments.ts';

/** What an operation has cost: `extensions.cost`. */
export interface OperationCost {
  readonly estimate: number;
  readonly actual: number;
  /** Requests to the node and to the wizard service. */
  readonly requests: number;
  /** Calls in those requests. */
  readonly calls: number;
}

/** The response to the operation of a page. */
export interface GraphResponse<Data> {
  readonly data: Data | null;
  readonly errors: readonly GraphError[];
  /** The errors of single chains, where the operation reads all chains. */
  readonly chainErrors: readonly GraphError[];
  /** The operation as it was sent: without the fragments that the server's schema lacks. */
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Height at which the searches of the operation end: above 0, the node has pruned the blocks before it. */
  readonly fromBlock: number;
  /** Height of the block of the response. Null where the server does not report it, or reports one for each chain. */
  readonly blockNumber: number | null;
  /** Null where the server does not report it. */
  readonly cost: OperationCost | null;
  /** Time from the request to the whole response, in milliseconds. */
  readonly durationMs: number;
  /** Time of the response, in milliseconds since 1970. */
  readonly receivedAt: number;
}

/** Whether no field of a response has a value. */
export const isEmpty = (data: object | null): boolean => data === null || Object.values(data).every((value) => value === null);

/** The documents without the fragments that the schema lacks, by their full text. */
const validTexts = new Map<string, string>();

/** Executes an operation on the chain of the page with a report of its cost. Throws an HttpError, a ServerBusy, or a TypeError without a connection. */
export async function fetchGraph<Data>(
  fullText: string,
  ownVariables: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<GraphResponse<Data>> {
  const isOnChain = pageChain !== null && !readsAllChains(fullText);
  const variables = isOnChain ? { chain: pageChain, ...ownVariables } : ownVariables;
  for (;;) {
    const text = validTexts.get(fullText) ?? (isOnChain ? onChain(fullText) : fullText);
    const startedAt = performance.now();
    const result = await post(text, variables, signal);
    const { data = null, errors = [], extensions } = isOnChain ? ofChain(result) : result;
    const validText = withoutInvalidFragments(text, errors);
    if (validText === null) {
      const { block, blocks = block ? [block] : [] } = (extensions ?? {}) as BlockNames;
      return {
        data: data as Data | null,
        errors: errors.filter((error) => !isOfChain(error)),
        chainErrors: errors.filter(isOfChain),
        text,
        variables,
        fromBlock: Number(variables.fromBlock ?? 0),
        blockNumber: blocks.length === 1 ? Number(blocks[0]!.number) : null,
        cost: (extensions?.cost as OperationCost | undefined) ?? null,
        durationMs: performance.now() - startedAt,
        receivedAt: Date.now(),
      };
    }
    validTexts.set(fullText, validText);
  }
}

interface BlockNames {
  readonly block?: { readonly number: string };
  readonly blocks?: readonly { readonly number: string }[];
}

const isOfChain = ({ path }: GraphError): boolean => path?.[0] === 'chains' && path.length > 1;

async function post(query: string, variables: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<GraphResult> {
  const response = await fetch(graphUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'x-graph-cost': '1', ...keyHeaders() },
    body: JSON.stringify({ query, variables }),
    signal,
  });
  const result = (await response.json().catch(() => null)) as GraphResult | null;
  const refusal = refusalIn(result?.errors);
  if (refusal) askForKey(refusal.message);
  const hasError = (kind: 'server' | 'busy') => result?.errors?.some((error) => problemOf(error) === kind) ?? false;
  if (!result?.data && hasError('busy')) throw new ServerBusy();
  if (!result || (result.errors ? hasError('server') : !response.ok)) throw new HttpError(response.status);
  return result;
}

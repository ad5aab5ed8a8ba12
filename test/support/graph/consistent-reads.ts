import type { Devnet } from '../../../devnet/src/index.ts';
import { postJson } from '../clients/post-json.ts';
import { CLIENT_HEADERS } from '../secrets.ts';
import { waitUntil } from '../wait-until.ts';
import { rpc } from './devnet-setup.ts';
import { bodyOf } from './results.ts';
import type { CallNode } from './rpc.ts';
import type { HttpResponse, RunningGraph } from './running-graph.ts';

/** A block as `extensions.block` names it. */
export interface BlockName {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
}

export type PinnedResponse = HttpResponse & { readonly extensions?: { readonly block?: BlockName } };

/** Calls of the devnet's anvil. */
export const rpcOf =
  ({ description }: Devnet): CallNode =>
  (method, ...params) =>
    rpc(description.endpoints.http, method, params);

export const word = (n: number | string): string => BigInt(n).toString(16).padStart(64, '0');
export const nameOf = ({ number, hash, parentHash }: BlockName): BlockName => ({ number, hash, parentHash });
export const errorCodesOf = ({ errors }: HttpResponse) => errors?.map(({ extensions }) => extensions.code as string) ?? [];

export const executeQuery = (graph: RunningGraph, query: string): Promise<PinnedResponse> => graph.execute(query);

/** Executes a query with the header `x-graph-block`. */
export async function executeAtBlock(url: string, block: string, query: string): Promise<PinnedResponse> {
  const response = await postJson(`${url}/graphql`, { query }, { ...CLIENT_HEADERS, 'x-graph-block': block });
  return { status: response.status, headers: response.headers, ...(await bodyOf(response)) };
}

/** Resolves when the graph's head is the block with this hash. */
export const waitForGraphHead = (graph: RunningGraph, hash: string): Promise<void> =>
  waitUntil(async () => (await executeQuery(graph, '{ block { hash } }')).data?.block?.hash === hash, `the head is ${hash}`);

/**
 * Returns a function that mines blocks, each with an ether transfer and a token transfer (one log) of amounts that no other block
 * has. It resolves with the hash of the last ether transfer.
 */
export function createMiner(devnet: Devnet) {
  const call = rpcOf(devnet);
  const [alice, bob] = devnet.description.accounts.map(({ address }) => address);
  const token = devnet.description.contracts[0]!.address;
  let amount = 1;
  return async (blocks: number): Promise<string> => {
    let transactionHash = '';
    await call('evm_setAutomine', false);
    for (let i = 0; i < blocks; i++, amount++) {
      const value = `0x${amount.toString(16)}`;
      transactionHash = await call('eth_sendTransaction', { from: alice, to: bob, value, gas: '0x5208' });
      const data = `0xa9059cbb${word(bob!)}${word(amount)}`;
      await call('eth_sendTransaction', { from: alice, to: token, data, gas: '0x186a0' });
      await call('evm_mine');
    }
    await call('evm_setAutomine', true);
    return transactionHash;
  };
}

/** Selects everything in the blocks from `base` on; the graph needs several round trips to the node for it. */
export const newestBlocksQuery = (account: string, base: number, transactionHash: string) => `{
  block { number hash parentHash transactions { hash value status from { balance } logs { data } } receipts { gasUsed } }
  account(address: "${account}") { balance transactionCount storage(slot: "0x${word(0)}") }
  blocks(from: ${base}) { number hash parentHash confirmations finalized transactionCount account(address: "${account}") { balance } }
  logs(filter: { fromBlock: ${base} }) { blockNumber data transaction { hash value } block { transactionCount timestamp } }
  head: logs(filter: {}) { index data }
  counts: block(number: ${base + 2}) { transactionCount ommerCount }
  transaction(hash: "${transactionHash}") { value state confirmations blockNumber receipt { status cumulativeGasUsed } }
  old: block(number: 20) { confirmations transactionCount }
}`;

/** Throws unless each value equals the expected one, or is null with an error at its path or above. */
export function expectAgreement(
  actual: unknown,
  expected: unknown,
  errors: HttpResponse['errors'],
  path: readonly (string | number)[] = [],
): void {
  const field = path.join('.');
  if (actual === null && expected !== null) {
    const isExplained = errors?.some(({ path: at }) => path.every((step, i) => at?.[i] === step));
    if (!isExplained) throw new Error(`${field} is null without an error`);
  } else if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) throw new Error(`${field} has another length`);
    expected.forEach((item, i) => {
      expectAgreement(actual[i], item, errors, [...path, i]);
    });
  } else if (typeof expected === 'object' && expected !== null) {
    for (const [key, value] of Object.entries(expected)) expectAgreement((actual as any)[key], value, errors, [...path, key]);
  } else if (actual !== expected) throw new Error(`${field} is ${actual}, expected ${expected}`);
}

import {
  consistentIsOfTheChain,
  ENTITY_QUERY,
  entitiesAreOfTheBlock,
  everyErrorHasACode,
  headsDoNotGoBack,
  heightQuery,
  heightsAreOfTheBlock,
  ONE_BLOCK_QUERY,
  oneOperationOneBlock,
  ROUTER_QUERY,
  transactionIsOfAHead,
  transactionQuery,
  VERIFIED_QUERY,
} from './promises.ts';
import type { World } from './world.ts';

interface BlockReadOptions {
  /** The lowest block whose height may be read; undefined if none may be. */
  readonly lowestHeight: () => number | undefined;
  /** Whether responses with verification are compared with the chain. */
  readonly comparesLogs: boolean;
  /** Whether the node has whole transactions. */
  readonly hasTransactions: boolean;
  /** Whether the server is a subgraph. */
  readonly isFederated: boolean;
}

/** Returns a function that reads one block, or the blocks at a height, in several parts. It returns whether the response has data. */
export function createBlockReads(
  { draw, chain, counts, post }: World,
  { lowestHeight, comparesLogs, hasTransactions, isFederated }: BlockReadOptions,
) {
  /** The last head of a response that the server knew to be the head. */
  let lastHead: string | undefined;
  /** Sends a query and checks its errors. */
  const send = async (query: string, headers: Readonly<Record<string, string>> = {}, variables?: object): Promise<any> => {
    const { body } = await post('/graphql', JSON.stringify({ query, variables }), headers);
    everyErrorHasACode(body);
    return body;
  };
  /** Reads as a router does, with a request for the root fields and one for the entities, which the same header pins to a block. */
  const readAsRouter = async (): Promise<boolean> => {
    const known = draw.pick([chain.head, chain.head.parent!]);
    const headers = { 'x-graph-block': known.hash };
    const root = await send(ROUTER_QUERY, headers);
    if (root.errors) return false;
    const { block, account } = root.data;
    const representations = [
      { __typename: 'Block', ...block },
      { __typename: 'Account', ...account },
    ];
    const { data, errors } = await send(ENTITY_QUERY, headers, { representations });
    if (!errors) entitiesAreOfTheBlock(known, data._entities);
    return !errors;
  };
  const heads = [chain.head];
  chain.main.onChange(() => heads.push(chain.head));
  const readTransaction = async (): Promise<boolean> => {
    // A reorg may have removed its block.
    let block = draw.pick(heads.slice(-6));
    for (let depth = draw.below(3); depth > 0; depth--) block = block.parent!;
    const [hash] = block.transactions;
    if (hash === undefined) return false;
    const first = heads.length - 1;
    const body = await send(transactionQuery(hash));
    if (!body.errors) transactionIsOfAHead(chain, hash, heads.slice(first), body);
    return !body.errors;
  };
  return async (): Promise<boolean> => {
    counts.queries += 1;
    if (hasTransactions && draw.chance(0.2)) return readTransaction();
    if (isFederated && draw.chance(0.3)) return readAsRouter();
    // Of a response that arrived before this request.
    const earlier = lastHead;
    const lowest = lowestHeight();
    const height = lowest === undefined || draw.chance(0.5) ? undefined : Math.max(lowest, chain.head.height - draw.below(7));
    const isVerified = height === undefined && comparesLogs && draw.chance(0.5);
    const query = height !== undefined ? heightQuery(height) : isVerified ? VERIFIED_QUERY : ONE_BLOCK_QUERY;
    const verify = isVerified && { 'x-graph-verify': draw.pick(['report', 'logs']) };
    const body = await send(query, { ...verify });
    // The node may return no most recent block.
    if (body.errors || !body.data.block) return false;
    if (height !== undefined) heightsAreOfTheBlock(chain, height, body);
    else if (!isVerified) oneOperationOneBlock(chain, body);
    else {
      const head = consistentIsOfTheChain(chain, body);
      if (head) headsDoNotGoBack(chain, earlier, head);
      lastHead = head ?? lastHead;
    }
    return true;
  };
}

import {
  consistentIsOfTheChain,
  everyErrorHasACode,
  headsDoNotGoBack,
  heightQuery,
  heightsAreOfTheBlock,
  ONE_BLOCK_QUERY,
  oneOperationOneBlock,
  VERIFIED_QUERY,
} from './promises.ts';
import type { World } from './world.ts';

interface BlockReadOptions {
  /** The lowest block whose height may be read; undefined if none may be. */
  readonly lowestHeight: () => number | undefined;
  /** Whether responses with verification are compared with the chain. */
  readonly comparesLogs: boolean;
}

/** Returns a function that reads one block, or the blocks at a height, in several parts. It returns whether the response has data. */
export function createBlockReads({ draw, chain, counts, post }: World, { lowestHeight, comparesLogs }: BlockReadOptions) {
  /** The last head of a response that the server knew to be the head. */
  let lastHead: string | undefined;
  return async (): Promise<boolean> => {
    counts.queries += 1;
    // Of a response that arrived before this request.
    const earlier = lastHead;
    const lowest = lowestHeight();
    const height = lowest === undefined || draw.chance(0.5) ? undefined : Math.max(lowest, chain.head.height - draw.below(7));
    const isVerified = height === undefined && comparesLogs && draw.chance(0.5);
    const query = height !== undefined ? heightQuery(height) : isVerified ? VERIFIED_QUERY : ONE_BLOCK_QUERY;
    const verify = isVerified && { 'x-graph-verify': draw.pick(['report', 'logs']) };
    const { body } = await post('/graphql', JSON.stringify({ query }), { ...verify });
    everyErrorHasACode(body);
    // The node may return no most recent block.
    if (body.errors || !body.data.block) return false;
    if (height !== undefined) heightsAreOfTheBlock(chain, body);
    else if (!isVerified) oneOperationOneBlock(chain, body);
    else {
      const head = consistentIsOfTheChain(chain, body);
      if (head) headsDoNotGoBack(chain, earlier, head);
      lastHead = head ?? lastHead;
    }
    return true;
  };
}

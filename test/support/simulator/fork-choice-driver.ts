import { isBlockHash } from '../../../src/ethereum/hex.ts';
import type { ChainQuery, ChainQueryResult } from '../../../src/sync/chain/ancestors.ts';
import type { ForkChoiceResult, ForkChoiceSteps } from '../../../src/sync/chain/fork-choice-steps.ts';
import { type AnnouncedHead, type Head, readAnnouncedHead, readHead } from '../../../src/sync/chain/rpc-header.ts';
import type { SimChain } from './chain.ts';
import { announcementOf, blockOf, type Dialect, GETH } from './rpc-simulator.ts';
import type { SimBlock, SimView } from './view.ts';

/** Reads a block as the follower does from a node's result. */
export const headOf = (block: SimBlock): Head => readHead(blockOf(block))!;

/** Reads a header as the follower does from an announcement. */
export const announcedHeaderOf = (block: SimBlock, header: Dialect['header'] = 'geth'): AnnouncedHead =>
  readAnnouncedHead(announcementOf(block, { ...GETH, header }))!;

/** Runs fork choices without a socket: resolves their queries from one view of the chain. */
export function createForkChoiceDriver(
  chain: SimChain,
  view: SimView = chain.main,
  isMissing: (block: SimBlock) => boolean = () => false,
) {
  const queries: ChainQuery[] = [];
  const readBlock = (block: SimBlock | undefined) => (block && !isMissing(block) ? headOf(block) : undefined);
  const byHash = (hash: string) => {
    const block = chain.block(hash);
    return block && (!view.importedBlocks || view.importedBlocks.has(block)) ? block : undefined;
  };
  const resolveRef = (ref: string) =>
    readBlock(ref === 'latest' ? view.head : isBlockHash(ref) ? byHash(ref) : view.at(Number(ref)));
  return {
    queries,
    /** Runs a fork choice to its result; `change` may replace the result of a query. */
    run(
      steps: ForkChoiceSteps,
      change: (query: ChainQuery, result: ChainQueryResult) => ChainQueryResult = (_query, result) => result,
    ): ForkChoiceResult {
      let step = steps.next();
      while (!step.done) {
        queries.push(step.value);
        step = steps.next(change(step.value, step.value.map(resolveRef)));
      }
      return step.value;
    },
  };
}

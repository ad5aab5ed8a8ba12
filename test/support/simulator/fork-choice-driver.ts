import type { ChainQuery, ChainQueryResult } from '../../../src/sync/chain/ancestors.ts';
import type { ForkChoiceResult, ForkChoiceSteps } from '../../../src/sync/chain/fork-choice.ts';
import { type AnnouncedHead, type Head, readAnnouncedHead, readHead } from '../../../src/sync/chain/rpc-header.ts';
import type { SimChain } from './chain.ts';
import { announcementOf, blockOf, type Dialect, GETH } from './rpc-simulator.ts';
import type { SimBlock, SimView } from './view.ts';

/** A block as the follower reads it from a node's answer. */
export const headOf = (block: SimBlock): Head => readHead(blockOf(block))!;

/** A header as the follower reads it from an announcement. */
export const announcedHeaderOf = (block: SimBlock, header: Dialect['header'] = 'geth'): AnnouncedHead =>
  readAnnouncedHead(announcementOf(block, { ...GETH, header }))!;

/** A node without a socket: it answers questions by what one view of the chain has. */
export interface ForkChoiceDriver {
  readonly queries: ChainQuery[];
  /** Sees a judging through; `change` may put another answer in the place of the node's. */
  run(judging: ForkChoiceSteps, change?: (question: ChainQuery, answer: ChainQueryResult) => ChainQueryResult): ForkChoiceResult;
}

export function createForkChoiceDriver(
  chain: SimChain,
  view: SimView = chain.main,
  lacks: (block: SimBlock) => boolean = () => false,
): ForkChoiceDriver {
  const queries: ChainQuery[] = [];
  const told = (block: SimBlock | undefined) => (block && !lacks(block) ? headOf(block) : undefined);
  const byHash = (hash: string) => {
    const block = chain.block(hash);
    return block && (!view.importedBlocks || view.importedBlocks.has(block)) ? block : undefined;
  };
  const answer = (question: ChainQuery) => {
    if (question.kind === 'latest') return [told(view.head), told(byHash(question.batchedHash ?? ''))];
    if (question.kind === 'blocks') return question.hashes.map((hash) => told(byHash(hash)));
    if (question.kind === 'height') return [told(view.at(question.height))];
    return [told(byHash(question.hash)), ...question.heights.map((height) => told(view.at(height)))];
  };
  return {
    queries,
    run(judging, change = (_question, told) => told) {
      let step = judging.next();
      while (!step.done) {
        queries.push(step.value);
        step = judging.next(change(step.value, answer(step.value)));
      }
      return step.value;
    },
  };
}

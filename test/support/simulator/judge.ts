import type { Answer, Question } from '../../../src/sync/chain/ancestors.ts';
import type { Judging, Verdict } from '../../../src/sync/chain/fork-choice.ts';
import { type Head, readHead, readTold, type Told } from '../../../src/sync/chain/rpc-header.ts';
import type { SimChain } from './chain.ts';
import { announcementOf, blockOf, type Dialect, GETH } from './rpc-simulator.ts';
import type { SimBlock, SimView } from './view.ts';

/** A block as the follower reads it from a node's answer. */
export const headOf = (block: SimBlock): Head => readHead(blockOf(block))!;

/** A header as the follower reads it from an announcement. */
export const toldOf = (block: SimBlock, header: Dialect['header'] = 'geth'): Told =>
  readTold(announcementOf(block, { ...GETH, header }))!;

/** A node without a socket: it answers questions by what one view of the chain has. */
export interface Teller {
  readonly asked: Question[];
  /** Sees a judging through; `change` may put another answer in the place of the node's. */
  settle(judging: Judging, change?: (question: Question, answer: Answer) => Answer): Verdict;
}

export function teller(chain: SimChain, view: SimView = chain.main, lacks: (block: SimBlock) => boolean = () => false): Teller {
  const asked: Question[] = [];
  const told = (block: SimBlock | undefined) => (block && !lacks(block) ? headOf(block) : undefined);
  const byHash = (hash: string) => {
    const block = chain.block(hash);
    return block && (!view.known || view.known.has(block)) ? block : undefined;
  };
  const answer = (question: Question) => {
    if (question.ask === 'latest') return [told(view.head), told(byHash(question.beside ?? ''))];
    if (question.ask === 'blocks') return question.hashes.map((hash) => told(byHash(hash)));
    if (question.ask === 'height') return [told(view.at(question.height))];
    return [told(byHash(question.hash)), ...question.heights.map((height) => told(view.at(height)))];
  };
  return {
    asked,
    settle(judging, change = (_question, told) => told) {
      let step = judging.next();
      while (!step.done) {
        asked.push(step.value);
        step = judging.next(change(step.value, answer(step.value)));
      }
      return step.value;
    },
  };
}

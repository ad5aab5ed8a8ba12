import type { GraphQLResolveInfo } from 'graphql';
import { memoizePerSelection, type Selection, selectionOf } from '../../../graphql/selection.ts';
import { BLOCK_REF_FIELDS, type BlockPlan, planOfBlocks } from '../block/plan.ts';
import { KNOWN_BY_POSITION, type TransactionPlan, transactionRequirements } from '../transaction/plan.ts';

/** The data to load for each log of a search. */
export interface LogPlan extends TransactionPlan {
  /** Undefined when the height and the hash of the block are enough. */
  readonly block: BlockPlan | undefined;
}

/**
 * The selections, on the block of a log or on the block of an object that a log links to, that need the block itself.
 */
function ownBlocks(selection: Selection): readonly Selection[] {
  const block = selection.subselection('block');
  const links = ['transaction', 'receipt', 'logs'].filter((name) => selection.has(name));
  return [
    ...(block.hasOnly(BLOCK_REF_FIELDS) ? [] : [block]),
    ...links.flatMap((name) => ownBlocks(selection.subselection(name))),
  ];
}

function planOfLogs(log: Selection, info: GraphQLResolveInfo): LogPlan {
  const blocks = ownBlocks(log);
  return {
    ...transactionRequirements(log.subselection('transaction'), KNOWN_BY_POSITION),
    block: blocks.length === 0 ? undefined : planOfBlocks(blocks, info),
  };
}

/** Computes the data to load for each log of a search. */
export const logPlan = memoizePerSelection((info): LogPlan => planOfLogs(selectionOf(info), info));

/** Computes the data to load for each log of a page, in either list of the connection. `toLog` selects the log of an item. */
const pagePlan = (toLog: (item: Selection) => Selection) =>
  memoizePerSelection((info): { readonly nodes: LogPlan; readonly edges: LogPlan } => {
    const page = selectionOf(info);
    return {
      nodes: planOfLogs(toLog(page.subselection('nodes')), info),
      edges: planOfLogs(toLog(page.subselection('edges').subselection('node')), info),
    };
  });

export const logPagePlan = pagePlan((log) => log);
export const transferPagePlan = pagePlan((transfer) => transfer.subselection('log'));

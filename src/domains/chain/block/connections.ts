import type { PageInfo } from '../../../generated/chain.ts';
import type { ChainBlock, PartialTransaction } from '../model.ts';

/** A block of a page. */
export interface BlockPageEdge {
  readonly cursor: string;
  readonly node: ChainBlock;
}

/** A page of blocks. Its parts are read when they are selected: the executor calls the functions. */
export interface BlockPage {
  readonly nodes: () => readonly ChainBlock[];
  readonly edges: () => readonly BlockPageEdge[];
  readonly pageInfo: () => Promise<PageInfo>;
}

/** A transaction of a page. */
export interface TransactionPageEdge {
  readonly cursor: string;
  readonly node: PartialTransaction;
}

/** A page of transactions. */
export interface TransactionPage {
  readonly nodes: readonly PartialTransaction[];
  readonly edges: readonly TransactionPageEdge[];
  readonly pageInfo: PageInfo;
}

/** A page of the transactions of one block. */
export interface BlockTransactionsPage extends TransactionPage {
  readonly totalCount: number;
}

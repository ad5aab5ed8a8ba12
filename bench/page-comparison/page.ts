/** The data of the page: an account, and what happened in the last ten blocks. */
export interface Page {
  /** In ether. */
  readonly balance: string;
  readonly blocks: readonly PageBlock[];
}

export interface PageBlock {
  readonly number: number;
  readonly time: string;
  readonly transactions: readonly PageTransaction[];
}

export interface PageTransaction {
  readonly hash: string;
  readonly succeeded: boolean;
  readonly sender: string;
  /** Of the sender, in ether. */
  readonly balance: string;
  readonly transfers: readonly PageTransfer[];
}

export interface PageTransfer {
  readonly symbol: string;
  /** In units of the token. */
  readonly amount: string;
  readonly from: string;
  readonly to: string;
}

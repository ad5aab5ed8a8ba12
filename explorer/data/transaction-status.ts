import { useState } from 'react';
import { graphql } from '../graph/documents.ts';
import { useEvents } from '../graph/use-events.ts';

const STATUS = graphql(`
  subscription Status($hash: Bytes32!, $chainId: ChainId) {
    transactionStatus(hash: $hash, confirmations: 64, chainId: $chainId) {
      status confirmations succeeded replacedBy
      receipt { blockNumber blockHash }
    }
  }
`);

/** The status of a transaction at the last head. */
export interface StatusUpdate {
  readonly status: string;
  readonly confirmations: number | null;
  readonly succeeded: boolean | null;
  readonly replacedBy: string | null;
  /** Null while it is in no block. */
  readonly blockNumber: number | null;
  /** Height of the block that a reorg took it out of, until it is in another one. Null if there is none. */
  readonly removedFrom: number | null;
}

/** The status of a transaction, from its first event on; null before. */
export function useStatus(hash: string): StatusUpdate | null {
  const [update, setUpdate] = useState<StatusUpdate | null>(null);
  useEvents(STATUS, {
    variables: { hash: hash as `0x${string}` },
    onEvent: ({ transactionStatus: { receipt, confirmations, ...rest } }) =>
      setUpdate((earlier) => {
        const blockNumber = receipt ? Number(receipt.blockNumber) : null;
        const removedFrom = blockNumber === null ? (earlier?.blockNumber ?? earlier?.removedFrom ?? null) : null;
        return { ...rest, blockNumber, removedFrom, confirmations: confirmations === null ? null : Number(confirmations) };
      }),
  });
  return update;
}

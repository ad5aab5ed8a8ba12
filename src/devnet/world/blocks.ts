import { toQuantity } from 'ethers';
import type { AnvilCall, AnvilRpc } from '../anvil/rpc.ts';
import type { TransactionRequest } from './transaction-requests.ts';

/** Seconds between the blocks of the built history. */
const BLOCK_SECONDS = 12;
const GWEI = 1_000_000_000;

/** `legacy` offers one gas price, `fee-market` a limit and a tip. */
export type GasPricing = 'legacy' | 'fee-market';

export interface MinedBlock {
  readonly number: number;
  /** Of the drafts, in their order, which is the order in the block. */
  readonly transactionHashes: readonly string[];
}

/** Mines the drafts as the next block. One with an access list offers a gas price whatever is said: that makes it type 1. */
export type MineBlock = (drafts: readonly TransactionRequest[], pricing?: GasPricing) => Promise<MinedBlock>;

/**
 * A writer of blocks whose hashes depend on nothing but the drafts: timestamps, nonces and fees are all set here. For a chain at its
 * genesis that mines nothing by itself.
 */
export function createBlockWriter(rpc: AnvilRpc, genesisTime: number): MineBlock {
  const nonces = new Map<string, number>();
  let number = 0;
  const send = (draft: TransactionRequest, place: number, pricing: GasPricing): AnvilCall => {
    const nonce = nonces.get(draft.from) ?? 0;
    nonces.set(draft.from, nonce + 1);
    return [
      'eth_sendTransaction',
      { ...draft, nonce: toQuantity(nonce), ...feeFields(draft.accessList ? 'legacy' : pricing, place) },
    ];
  };
  return async (drafts, pricing = 'fee-market') => {
    number += 1;
    const transactionHashes = await rpc.batch<string>(drafts.map((draft, index) => send(draft, drafts.length - index, pricing)));
    await rpc.call('evm_mine', { timestamp: genesisTime + number * BLOCK_SECONDS });
    return { number, transactionHashes };
  };
}

/** Far above any base fee of the history. The block is ordered by fee, so those before others offer a little more. */
function feeFields(pricing: GasPricing, placesFromTheEnd: number) {
  const offer = toQuantity(20 * GWEI + placesFromTheEnd * 1_000_000);
  return pricing === 'legacy' ? { gasPrice: offer } : { maxFeePerGas: offer, maxPriorityFeePerGas: toQuantity(GWEI) };
}

import { toQuantity } from 'ethers';
import type { AnvilCall, AnvilRpc } from '../anvil/rpc.ts';
import type { TransactionRequest } from './transaction-requests.ts';

/** Seconds between the blocks of the generated history. */
const BLOCK_SECONDS = 12;
const GWEI = 1_000_000_000;

/** `legacy` sets a gas price, `fee-market` a maximum fee and a tip. */
export type GasPricing = 'legacy' | 'fee-market';

export interface MinedBlock {
  readonly number: number;
  /** In the order of the requests, which is the order in the block. */
  readonly transactionHashes: readonly string[];
}

/** Mines the requests as the next block. A request with an access list always has a gas price, which makes it type 1. */
export type MineBlock = (requests: readonly TransactionRequest[], pricing?: GasPricing) => Promise<MinedBlock>;

/**
 * Creates a writer of blocks whose hashes depend only on the requests: it sets timestamps, nonces and fees. The chain must be at its
 * genesis, without automatic mining.
 */
export function createBlockWriter(rpc: AnvilRpc, genesisTime: number): MineBlock {
  const nonces = new Map<string, number>();
  let number = 0;
  const send = (request: TransactionRequest, priority: number, pricing: GasPricing): AnvilCall => {
    const nonce = nonces.get(request.from) ?? 0;
    nonces.set(request.from, nonce + 1);
    return [
      'eth_sendTransaction',
      { ...request, nonce: toQuantity(nonce), ...feeFields(request.accessList ? 'legacy' : pricing, priority) },
    ];
  };
  return async (requests, pricing = 'fee-market') => {
    number += 1;
    const transactionHashes = await rpc.batch<string>(
      requests.map((request, index) => send(request, requests.length - index, pricing)),
    );
    await rpc.call('evm_mine', { timestamp: genesisTime + number * BLOCK_SECONDS });
    return { number, transactionHashes };
  };
}

/** Fees above any base fee of the history. Anvil orders a block by fee, so a higher priority pays more. */
function feeFields(pricing: GasPricing, priority: number) {
  const price = toQuantity(20 * GWEI + priority * 1_000_000);
  return pricing === 'legacy' ? { gasPrice: price } : { maxFeePerGas: price, maxPriorityFeePerGas: toQuantity(GWEI) };
}

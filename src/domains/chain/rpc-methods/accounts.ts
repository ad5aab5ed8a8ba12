import { data, hexQuantity, quantity, word } from '../../../ethereum/decoders.ts';
import type { Data } from '../../../ethereum/hex.ts';
import { type BlockParameter, immutableStateAtBlockHash, rpcMethod } from '../../../snapshot/state-methods.ts';

/** Methods whose result is the field of `Account` with the same name. Amounts are in wei. */
export const accountReads = {
  balance: { name: 'eth_getBalance', read: hexQuantity, ...immutableStateAtBlockHash },
  transactionCount: { name: 'eth_getTransactionCount', read: quantity, ...immutableStateAtBlockHash },
  code: { name: 'eth_getCode', read: data, ...immutableStateAtBlockHash },
  storage: {
    ...rpcMethod('eth_getStorageAt', word, (address: Data, at: BlockParameter, slot: Data) => [address, slot, at]),
    ...immutableStateAtBlockHash,
  },
};

import { invalidShape } from '../../../ethereum/decoders.ts';
import { keccakOfDigits } from '../../../ethereum/encoding/keccak.ts';
import { type Data, sameData, toData } from '../../../ethereum/hex.ts';
import { rpcMethod } from '../../../snapshot/state-methods.ts';

function readRawTransaction(result: unknown, hash: Data): Data | null {
  const raw = toData(result);
  if (result === null || result === undefined || raw === '0x') return null;
  if (raw === undefined || !sameData(keccakOfDigits(raw.slice(2)), hash))
    throw invalidShape('the encoding of the requested transaction');
  return raw;
}

/** An encoded transaction by its hash, which is that of the encoding; null where the node does not know it. Not every node has this method. */
export const rawTransactionBy = rpcMethod('eth_getRawTransactionByHash', readRawTransaction, (hash: Data) => [hash]);

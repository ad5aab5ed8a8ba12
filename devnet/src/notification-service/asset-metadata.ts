import { decodeBytes32String, Interface, id } from 'ethers';
import type { AnvilRpc } from '../anvil/rpc.ts';

/** Name and unit of an asset. */
export interface AssetMetadata {
  /** Null if the contract does not have it. */
  readonly symbol: string | null;
  /** Null if the contract does not have it. */
  readonly decimals: number | null;
}

export const NATIVE_COIN: AssetMetadata = { symbol: 'ETH', decimals: 18 };

const MAX_SYMBOL_CHARS = 64;
const symbolFunction = new Interface(['function symbol() view returns (string)']);
const selectorOf = (signature: string): string => id(signature).slice(0, 10);

/** Creates a cached reader of token metadata. It rejects if the node does not respond; contracts that revert have nulls. */
export function createAssetReader(rpc: AnvilRpc): (contract: string) => Promise<AssetMetadata> {
  const cache = new Map<string, AssetMetadata>();
  const read = (contract: string, signature: string): Promise<string> =>
    rpc.call<string>('eth_call', { to: contract, data: selectorOf(signature) }, 'latest').catch((error: Error) => {
      // The node has responded with an error; other errors say nothing about the contract.
      if (error.message.startsWith('eth_call:')) return '0x';
      throw error;
    });
  return async (contract) => {
    const cached = cache.get(contract);
    if (cached) return cached;
    const [symbol, decimals] = await Promise.all([read(contract, 'symbol()'), read(contract, 'decimals()')]);
    const metadata = { symbol: decodeSymbol(symbol), decimals: decodeDecimals(decimals) };
    cache.set(contract, metadata);
    return metadata;
  };
}

/** Decodes a symbol, which tokens older than the final ERC-20 return as bytes32; null for other results. */
function decodeSymbol(result: string): string | null {
  try {
    const symbol: string =
      result.length === 66 ? decodeBytes32String(result) : symbolFunction.decodeFunctionResult('symbol', result)[0];
    return symbol.length > 0 && symbol.length <= MAX_SYMBOL_CHARS ? symbol : null;
  } catch {
    return null;
  }
}

const decodeDecimals = (result: string): number | null =>
  /^0x[0-9a-f]{64}$/.test(result) && BigInt(result) <= 255n ? Number(result) : null;

import { AbiCoder, getBytes, id, toUtf8String } from 'ethers';
import type { AnvilRequest } from '../anvil-connection.ts';
import { NODE_ERROR_CODES, NodeRpcError, NodeUnavailableError } from './rpc-error.ts';
import type { NodeTokenMetadata, TokenMetadataMerger } from './token-database.ts';

const abi = AbiCoder.defaultAbiCoder();
const selector = (signature: string) => id(signature).slice(0, 10);
const SELECTORS = {
  allowance: selector('allowance(address,address)'),
  balanceOf: selector('balanceOf(address)'),
  name: selector('name()'),
  symbol: selector('symbol()'),
  decimals: selector('decimals()'),
};

const toWord = (address: string) => address.slice(2).padStart(64, '0');
const WORD = /^0x[0-9a-f]{64}$/;
const notAToken = () => new NodeRpcError(NODE_ERROR_CODES.server, 'the contract does not respond as a token');

/** Calls a contract that returns one word. Rejects if it reverts or returns anything else. Source: `eth_call`. */
async function callForWord(request: AnvilRequest, to: string, data: string, at: string): Promise<string> {
  const result = await request<string>('eth_call', { to, data }, at);
  if (!WORD.test(result)) throw notAToken();
  return result;
}

/** Allowance of the spender in the token's smallest unit, as a decimal string. */
export async function tokenAllowance(
  request: AnvilRequest,
  { contract, owner, spender }: Record<'contract' | 'owner' | 'spender', string>,
) {
  return BigInt(await callForWord(request, contract, SELECTORS.allowance + toWord(owner) + toWord(spender), 'latest')).toString();
}

/** One entry for each contract, in order and at the same block: the balance as 32 bytes, or an error. */
export async function tokenBalances(request: AnvilRequest, address: string, contracts: readonly string[]) {
  const at = await request<string>('eth_blockNumber');
  const entryOf = (contractAddress: string) =>
    callForWord(request, contractAddress, SELECTORS.balanceOf + toWord(address), at).then(
      (tokenBalance) => ({ contractAddress, tokenBalance, error: null }),
      (error: NodeRpcError) => {
        if (error instanceof NodeUnavailableError) throw error;
        return { contractAddress, tokenBalance: null, error: error.message };
      },
    );
  return { address, tokenBalances: await Promise.all(contracts.map(entryOf)) };
}

/** Decoded metadata of the contract, merged with the database. */
export async function tokenMetadata(
  request: AnvilRequest,
  merge: TokenMetadataMerger,
  contract: string,
): Promise<NodeTokenMetadata> {
  const read = (data: string) =>
    request<string>('eth_call', { to: contract, data }, 'latest').catch((error: unknown) => {
      // A contract that fails has no metadata.
      if (error instanceof NodeUnavailableError) throw error;
      return '0x';
    });
  const [name, symbol, decimals] = await Promise.all([read(SELECTORS.name), read(SELECTORS.symbol), read(SELECTORS.decimals)]);
  return merge(contract, {
    name: decodeTokenText(name),
    symbol: decodeTokenText(symbol),
    decimals: decodeTokenDecimals(decimals),
  });
}

/** Decodes a string, or bytes32 up to its first zero as in old tokens. Null for anything else. */
export function decodeTokenText(result: string): string | null {
  try {
    if (!WORD.test(result)) return abi.decode(['string'], result)[0];
    const bytes = getBytes(result);
    const end = bytes.indexOf(0);
    return toUtf8String(end < 0 ? bytes : bytes.subarray(0, end));
  } catch {
    return null;
  }
}

/** Decodes a uint8; null for anything else. */
export const decodeTokenDecimals = (result: string): number | null =>
  WORD.test(result) && BigInt(result) <= 255n ? Number(BigInt(result)) : null;

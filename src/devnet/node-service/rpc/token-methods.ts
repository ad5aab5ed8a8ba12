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
const notAToken = () => new NodeRpcError(NODE_ERROR_CODES.server, 'the contract does not answer as a token');

/** The one word that a contract answers; rejects when it reverts, or is no token. Source: `eth_call`. */
async function callForWord(request: AnvilRequest, to: string, data: string, at: string): Promise<string> {
  const answer = await request<string>('eth_call', { to, data }, at);
  if (!WORD.test(answer)) throw notAToken();
  return answer;
}

/** What the spender may take from the owner, in the token's smallest unit, as a decimal string. */
export async function tokenAllowance(
  request: AnvilRequest,
  { contract, owner, spender }: Record<'contract' | 'owner' | 'spender', string>,
) {
  return BigInt(await callForWord(request, contract, SELECTORS.allowance + toWord(owner) + toWord(spender), 'latest')).toString();
}

/** One entry a contract, in the order asked, all of the same block: the balance in 32 bytes of hex, or why there is none. */
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

/** The contract's own values, decoded, merged with the database. */
export async function tokenMetadata(
  request: AnvilRequest,
  merge: TokenMetadataMerger,
  contract: string,
): Promise<NodeTokenMetadata> {
  const read = (data: string) =>
    request<string>('eth_call', { to: contract, data }, 'latest').catch((error: unknown) => {
      // A contract that reverts, or fails in any other way, does not tell.
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

/** A string, or bytes32 up to its first zero, as tokens older than ERC-20's final form answer. Null when it is neither. */
export function decodeTokenText(answer: string): string | null {
  try {
    if (!WORD.test(answer)) return abi.decode(['string'], answer)[0];
    const bytes = getBytes(answer);
    const end = bytes.indexOf(0);
    return toUtf8String(end < 0 ? bytes : bytes.subarray(0, end));
  } catch {
    return null;
  }
}

/** Null when the answer is no uint8. */
export const decodeTokenDecimals = (answer: string): number | null =>
  WORD.test(answer) && BigInt(answer) <= 255n ? Number(BigInt(answer)) : null;

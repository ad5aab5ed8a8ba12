import { type Data, isData, type Quantity, quantityOf } from './hex.ts';
import type { RpcLog } from './rpc-types.ts';

/** Topic of `Transfer(address,address,uint256)`, in ERC-20 and in ERC-721. */
export const TRANSFER_TOPIC: Data = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** A transfer of ERC-20 tokens. */
export interface TokenTransfer {
  readonly from: Data;
  readonly to: Data;
  /** In the token's smallest unit. */
  readonly amount: Quantity;
  readonly log: RpcLog;
}

/** An address as a topic. */
export const addressTopic = (address: Data): Data => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;

const ADDRESS_WORD = /^0x0{24}[0-9a-f]{40}$/i;

/** The transfer of a log with indexed accounts; undefined for other events, such as the transfer of an NFT, which has an indexed id. */
export function tokenTransferOf(log: RpcLog): TokenTransfer | undefined {
  const [topic, from = '', to = '', ...others] = log.topics;
  if (topic?.toLowerCase() !== TRANSFER_TOPIC || others.length > 0 || !isData(log.data, 32)) return undefined;
  if (!ADDRESS_WORD.test(from) || !ADDRESS_WORD.test(to)) return undefined;
  const addressIn = (word: Data): Data => `0x${word.slice(26).toLowerCase()}`;
  return { from: addressIn(from), to: addressIn(to), amount: quantityOf(BigInt(log.data)), log };
}

import type { Data, Quantity } from '../../../../ethereum/hex.ts';
import type { RpcLog } from '../../../../ethereum/rpc-types.ts';
import { addressTopic, type TokenTransfer, TRANSFER_TOPIC, tokenTransferOf } from '../../../../ethereum/token-transfer.ts';
import type { TokenTransferConnectionModel } from '../../model.ts';
import type { LogCriteria } from '../log-criteria.ts';
import type { LogPage } from './log-page.ts';

/** Selects transfers of a token. */
export interface TransferFilter {
  readonly contract: Data;
  readonly fromBlock?: Quantity | null | undefined;
  readonly toBlock?: Quantity | null | undefined;
  readonly from?: Data | null | undefined;
  readonly to?: Data | null | undefined;
}

/** The log filter of transfers. Trailing topics that match everything are left out: some nodes reject them. */
export function transferCriteria({ contract, fromBlock, toBlock, from, to }: TransferFilter): LogCriteria {
  const accounts = [from, to].map((account) => (account ? [addressTopic(account)] : []));
  const length = to ? 2 : from ? 1 : 0;
  return {
    addresses: [contract],
    topics: [[TRANSFER_TOPIC], ...accounts.slice(0, length)],
    fromBlock: fromBlock ?? '0x0',
    toBlock,
  };
}

/** The connection of the logs of a page that are transfers. */
export function transferConnection(
  { logs, pageInfo }: LogPage,
  listsOf: (
    logs: readonly RpcLog[],
    toItem: (log: RpcLog) => TokenTransfer,
  ) => Pick<TokenTransferConnectionModel, 'nodes' | 'edges'>,
): TokenTransferConnectionModel {
  const transfers = new Map<RpcLog, TokenTransfer>();
  for (const log of logs) {
    const transfer = tokenTransferOf(log);
    if (transfer) transfers.set(log, transfer);
  }
  const lists = listsOf([...transfers.keys()], (log) => transfers.get(log)!);
  return { pageInfo, ...lists, transfers: [...transfers.values()] };
}

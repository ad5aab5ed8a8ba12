import type { Data, Quantity } from '../../../../ethereum/hex.ts';
import type { RpcLog } from '../../../../ethereum/rpc-types.ts';
import { addressTopic, type TokenTransfer, TRANSFER_TOPIC, tokenTransferOf } from '../../../../ethereum/token-transfer.ts';
import type { BidirectionalPageArgs } from '../../../../graphql/page-request.ts';
import { WindowedList } from '../../../../graphql/windowed-list.ts';
import { logCursorOf } from '../../log-cursor.ts';
import type { TokenTransferConnectionModel, TokenTransferEdgeModel } from '../../model.ts';
import type { LogPlan } from '../../plan.ts';
import type { LogCriteria } from '../log-criteria.ts';
import { type LogWindows, needsWindows } from '../log-windows.ts';
import type { LogPage } from './log-page.ts';
import type { LogPageKey } from './log-pages.ts';

/** Selects transfers of a token. */
export interface TransferCriteria {
  readonly fromBlock?: Quantity | null | undefined;
  readonly toBlock?: Quantity | null | undefined;
  readonly from?: Data | null | undefined;
  readonly to?: Data | null | undefined;
}

/** The log filter of transfers. Trailing topics that match everything are left out: some nodes reject them. */
function logCriteriaOf(contract: Data, { fromBlock, toBlock, from, to }: TransferCriteria): LogCriteria {
  const accounts = [from, to].map((account) => (account ? [addressTopic(account)] : []));
  const length = to ? 2 : from ? 1 : 0;
  return {
    addresses: [contract],
    topics: [[TRANSFER_TOPIC], ...accounts.slice(0, length)],
    fromBlock: fromBlock ?? '0x0',
    toBlock,
  };
}

/** Creates the reads of `Token.transfers`, which share the pages of `logsConnection`. */
export const tokenTransferReads = (loadPage: (key: LogPageKey) => Promise<LogPage>, windows: LogWindows) => ({
  /** Loads a page of transfers; the blocks and transactions of their logs in windows, if the plan of a list needs them. */
  async tokenTransfers(
    contract: Data,
    criteria: TransferCriteria,
    args: BidirectionalPageArgs,
    nodesPlan: LogPlan,
    edgesPlan: LogPlan,
  ): Promise<TokenTransferConnectionModel> {
    const { logs, pageInfo } = await loadPage({ criteria: logCriteriaOf(contract, criteria), args });
    const transfers = new Map<RpcLog, TokenTransfer>();
    for (const log of logs) {
      const transfer = tokenTransferOf(log);
      if (transfer) transfers.set(log, transfer);
    }
    const listOf = <T>(plan: LogPlan, toItem: (transfer: TokenTransfer) => T): readonly T[] =>
      needsWindows(plan)
        ? WindowedList.asArray((write) =>
            windows.write([...transfers.keys()], plan, (window) => write(window.map((log) => toItem(transfers.get(log)!)))),
          )
        : [...transfers.values()].map(toItem);
    return {
      pageInfo,
      nodes: listOf(nodesPlan, (transfer) => transfer),
      edges: listOf(edgesPlan, toEdge),
      transfers: [...transfers.values()],
    };
  },
});

const toEdge = (node: TokenTransfer): TokenTransferEdgeModel => ({ cursor: logCursorOf(node.log)!, node });

import type { RpcLog } from '../../../../ethereum/rpc-types.ts';
import { WindowedList } from '../../../../graphql/windowed-list.ts';
import type { Snapshot } from '../../../../snapshot/index.ts';
import { logCursorOf } from '../../log-cursor.ts';
import { checkTopics } from '../../log-filter-checks.ts';
import type { LogConnectionModel, LogEdgeModel } from '../../model.ts';
import type { LogPlan } from '../../plan.ts';
import { type LogWindows, needsWindows } from '../log-windows.ts';
import { type LogPageKey, type LogPageSources, logPageLoader } from './log-pages.ts';
import { tokenTransferReads } from './token-transfers.ts';

/** Creates the reads of `logsConnection` and of `Token.transfers`. */
export function logConnectionReads(snapshot: Snapshot, sources: LogPageSources, windows: LogWindows) {
  const pages = logPageLoader(snapshot, sources);
  return {
    ...tokenTransferReads((key) => pages.load(key), windows),

    /** Loads a page of the logs that match; their blocks and transactions in windows, if the plan of a list needs them. */
    async logsConnection(key: LogPageKey, nodesPlan: LogPlan, edgesPlan: LogPlan): Promise<LogConnectionModel> {
      checkTopics(key.criteria);
      const { logs, pageInfo } = await pages.load(key);
      return {
        pageInfo,
        nodes: needsWindows(nodesPlan) ? WindowedList.asArray((write) => windows.write(logs, nodesPlan, write)) : logs,
        edges: needsWindows(edgesPlan)
          ? WindowedList.asArray((write) => windows.write(logs, edgesPlan, (window) => write(window.map(toEdge))))
          : logs.map(toEdge),
      };
    },
  };
}

const toEdge = (log: RpcLog): LogEdgeModel => ({ cursor: logCursorOf(log)!, node: log });

import { isHeight, sameData } from '../../../ethereum/hex.ts';
import type { LogFilter } from '../../../ethereum/log-filters.ts';
import type { RpcBlock, RpcLog } from '../../../ethereum/rpc-types.ts';
import type { TrustRecord } from '../../../operation/trust.ts';
import { chainChangedError } from '../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { heightsOf, throwBlockMissing } from '../block/range-reads.ts';
import type { BlockReads } from '../block/reads.ts';
import { recordBlock } from '../verification.ts';
import { excludesLogs, type LogBounds, type LogReads } from './reads.ts';

/** Number of headers in one POST. */
const BLOCKS_PER_READ = 100;

/**
 * Creates the log reads of an operation that asks for verification: the logs of a block are taken from its receipts, and with `logs` those of a range from
 * the headers of all its blocks and the receipts of the blocks whose bloom matches, so that none is missing. Without `logs`, a range is read as by other
 * operations, and nothing proves its logs. Source: `eth_getBlockByNumber`, `eth_getBlockReceipts`.
 */
export function createProvenLogReads(snapshot: Snapshot, blocks: BlockReads, trust: TrustRecord, unproven: LogReads): LogReads {
  const verifiesRanges = trust.requested.has('logs');

  const logsIn = async (block: RpcBlock, criteria: LogFilter): Promise<readonly RpcLog[]> => {
    if (excludesLogs(block, criteria)) return [];
    const contents = blocks.contentsIn(block);
    await contents.receipts;
    // The block was read with the hashes of its transactions only.
    trust.addUnproven('transactionList');
    return contents.logs(criteria);
  };

  const readHeaders = async (first: number, last: number): Promise<readonly RpcBlock[]> => {
    const read = heightsOf({ first, last }).map((height) => blocks.loader.load(height, false));
    return (await Promise.all(read)).map((block) => block ?? throwBlockMissing());
  };

  const readRange = async ({ fromBlock, toBlock }: LogBounds, criteria: LogFilter): Promise<readonly RpcLog[]> => {
    const last = Number(toBlock);
    const logs: RpcLog[] = [];
    let previous: RpcBlock | undefined;
    for (let from = Number(fromBlock); from <= last; from += BLOCKS_PER_READ) {
      const headers = await readHeaders(from, Math.min(last, from + BLOCKS_PER_READ - 1));
      for (const header of headers) {
        if (previous && !sameData(header.parentHash, previous.hash)) throw chainChangedError();
        previous = header;
      }
      const ofBlocks = await Promise.all(headers.map((header) => logsIn(header, criteria)));
      for (const one of ofBlocks) for (const log of one) logs.push(log);
    }
    // The parent hashes connect the range to its last block.
    if (previous) recordBlock(snapshot, toBlock, previous, false);
    return logs;
  };

  return {
    async readBlock(hash, criteria) {
      const block = await blocks.loader.load(hash, false);
      if (!block) return unproven.readBlock(hash, criteria);
      recordBlock(snapshot, hash, block, false);
      return logsIn(block, criteria);
    },
    readRange(bounds, criteria) {
      if (verifiesRanges && isHeight(bounds.fromBlock) && isHeight(bounds.toBlock)) return readRange(bounds, criteria);
      trust.addUnproven('logs');
      return unproven.readRange(bounds, criteria);
    },
    releaseRange: unproven.releaseRange,
  };
}

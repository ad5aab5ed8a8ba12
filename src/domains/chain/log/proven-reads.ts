import { isHeight, type Quantity, sameData } from '../../../ethereum/hex.ts';
import type { LogFilter } from '../../../ethereum/log-filters.ts';
import type { RpcBlock, RpcLog } from '../../../ethereum/rpc-types.ts';
import type { TrustRecord } from '../../../operation/trust.ts';
import { chainChangedError, throwBlockMissing } from '../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { RpcHeader } from '../../../sync/head/follower.ts';
import { heightsOf } from '../block/range-reads.ts';
import type { BlockReads } from '../block/reads.ts';
import { recordBlock } from '../verification.ts';
import { excludesLogs, type LogBounds, type LogReads } from './reads.ts';

/** Number of headers in one POST. */
const BLOCKS_PER_READ = 100;

/**
 * Creates the log reads of an operation that asks for verification: the logs of a block are taken from its receipts, and with `logs` the logs of a range from
 * the headers of all its blocks and the receipts of the blocks whose bloom matches, so that none is missing. Without `logs`, a range is read as by other
 * operations, and nothing proves its logs. Source: `eth_getBlockByNumber`, `eth_getBlockReceipts`.
 */
export function createProvenLogReads(snapshot: Snapshot, blocks: BlockReads, trust: TrustRecord, unproven: LogReads): LogReads {
  const { pin } = snapshot;
  const verifiesRanges = trust.requested.has('logs');

  const logsIn = async (header: RpcHeader, criteria: LogFilter): Promise<readonly RpcLog[]> => {
    if (excludesLogs(header, criteria)) return [];
    // Only a header that excludes the logs is without the transactions of its block.
    const contents = blocks.contentsIn(header as RpcBlock);
    await contents.receipts;
    // The block was read with the hashes of its transactions only.
    trust.addUnproven('transactionList');
    return contents.logs(criteria);
  };

  /** The header of a block; without a call if the known header of the block excludes the logs. */
  const readHeader = async (height: Quantity, criteria: LogFilter): Promise<RpcHeader> => {
    const known = blocks.headerOf(pin.resolveRef(height))?.header;
    if (known && excludesLogs(known, criteria)) return known;
    return (await blocks.loader.load(height, false)) ?? throwBlockMissing();
  };

  const readRange = async ({ fromBlock, toBlock }: LogBounds, criteria: LogFilter): Promise<readonly RpcLog[]> => {
    const last = Number(toBlock);
    const logs: RpcLog[] = [];
    let previous: RpcHeader | undefined;
    for (let from = Number(fromBlock); from <= last; from += BLOCKS_PER_READ) {
      const heights = heightsOf({ first: from, last: Math.min(last, from + BLOCKS_PER_READ - 1) });
      const headers = await Promise.all(heights.map((height) => readHeader(height, criteria)));
      for (const header of headers) {
        if (previous && !sameData(header.parentHash, previous.hash)) throw chainChangedError();
        previous = header;
      }
      const ofBlocks = await Promise.all(headers.map((header) => logsIn(header, criteria)));
      for (const one of ofBlocks) for (const log of one) logs.push(log);
    }
    // The parent hashes connect the range to its last block.
    if (previous) recordBlock(snapshot, toBlock, previous as RpcBlock);
    return logs;
  };

  return {
    async readBlock(hash, criteria) {
      const block = await blocks.loader.load(hash, false);
      recordBlock(snapshot, hash, block, false);
      if (!block) return unproven.readBlock(hash, criteria);
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

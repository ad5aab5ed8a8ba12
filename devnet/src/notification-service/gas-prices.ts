import { toQuantity } from 'ethers';
import type { AnvilRpc } from '../anvil/rpc.ts';

/** Gas prices in gwei and waiting times in minutes, with the field names of the service description. */
export interface GasPrices {
  readonly fast: number;
  readonly fastest: number;
  readonly safeLow: number;
  readonly average: number;
  /** Seconds between blocks. */
  readonly block_time: number;
  readonly blockNum: number;
  /** The smallest part of the gas limit that one of the last blocks used, from 0 to 1. */
  readonly speed: number;
  readonly safeLowWait: number;
  readonly avgWait: number;
  readonly fastWait: number;
  readonly fastestWait: number;
}

/** Result of `eth_feeHistory`. */
export interface FeeHistory {
  /** Wei; the last entry is the base fee of the next block. */
  readonly baseFeePerGas: readonly string[];
  readonly gasUsedRatio: readonly number[];
  /** Tips in wei at `PERCENTILES`, for each block. */
  readonly reward?: readonly (readonly string[])[];
}

export interface GasPriceSamples {
  /** Height of the latest block. */
  readonly blockNumber: number;
  readonly feeHistory: FeeHistory;
  /** Result of `eth_gasPrice`: the price if no block has a transaction. Wei. */
  readonly gasPrice: string;
  /** Timestamps of consecutive blocks in seconds, ascending. */
  readonly timestamps: readonly number[];
}

const SAMPLED_BLOCKS = 20;
/** Percentiles of the tips in a block from which safeLow, average, fast and fastest follow. */
const PERCENTILES = [10, 50, 75, 95];
/** Blocks until a transaction with one of these prices is mined. */
const WAITING_BLOCKS = { safeLow: 10, average: 3, fast: 2, fastest: 1 } as const;

/** Estimates gas prices from the last blocks: the next base fee and the median over the blocks of a percentile of their tips. */
export function estimateGasPrices({ blockNumber, feeHistory, gasPrice, timestamps }: GasPriceSamples): GasPrices {
  const { baseFeePerGas, gasUsedRatio, reward = [] } = feeHistory;
  const baseFee = BigInt(baseFeePerGas.at(-1) ?? 0);
  const tips = reward.filter((_, index) => gasUsedRatio[index]! > 0);
  const price = (percentile: number): number => {
    const wei = tips.length > 0 ? baseFee + median(tips.map((ofBlock) => BigInt(ofBlock[percentile]!)))! : BigInt(gasPrice);
    return Number(`${wei}e-9`);
  };
  // The median, because the clock of the chain was once set to the current time.
  const blockTime = median(timestamps.slice(1).map((timestamp, index) => timestamp - timestamps[index]!)) ?? 0;
  const waitMinutes = (blocks: number): number => Math.round((blocks * blockTime * 100) / 60) / 100;
  return {
    fast: price(2),
    fastest: price(3),
    safeLow: price(0),
    average: price(1),
    block_time: blockTime,
    blockNum: blockNumber,
    speed: Math.min(1, ...gasUsedRatio.slice(-10)),
    safeLowWait: waitMinutes(WAITING_BLOCKS.safeLow),
    avgWait: waitMinutes(WAITING_BLOCKS.average),
    fastWait: waitMinutes(WAITING_BLOCKS.fast),
    fastestWait: waitMinutes(WAITING_BLOCKS.fastest),
  };
}

/** Reads the data for the estimate at the latest block. */
export async function readGasPriceSamples(rpc: AnvilRpc): Promise<GasPriceSamples> {
  const blockNumber = Number(await rpc.call<string>('eth_blockNumber'));
  const first = Math.max(0, blockNumber - SAMPLED_BLOCKS);
  const numbers = Array.from({ length: blockNumber - first + 1 }, (_, offset) => toQuantity(first + offset));
  const [feeHistory, gasPrice, headers] = await Promise.all([
    rpc.call<FeeHistory>('eth_feeHistory', toQuantity(SAMPLED_BLOCKS), toQuantity(blockNumber), PERCENTILES),
    rpc.call<string>('eth_gasPrice'),
    rpc.batch<{ timestamp: string } | null>(numbers.map((number) => ['eth_getBlockByNumber', number, false])),
  ]);
  const timestamps = headers.flatMap((header) => (header ? [Number(header.timestamp)] : []));
  return { blockNumber, feeHistory, gasPrice, timestamps };
}

/** The median; of two middle values, the lower value. Undefined without values. */
function median<Value extends number | bigint>(values: readonly Value[]): Value | undefined {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

import { devnet } from './devnet.ts';
import { readGraph } from './graph.ts';
import { recentBlock, TRANSFER_TOPIC, type TransferLog, tokensOf } from './recent-block.ts';

/** Number of blocks that are searched when the recent block has no transfer. */
const SEARCHED_BLOCKS = 100;

const TRANSFERS = `query PlaygroundTransfers($from: Long!, $to: Long!) {
  logs(filter: { fromBlock: $from, toBlock: $to, topics: [["${TRANSFER_TOPIC}"]] }) { topics account { address } }
}`;

/** Token contracts: those of the embedded network, or those with recent transfers. Undefined when there is none. */
export async function recentTokens(): Promise<readonly string[] | undefined> {
  const contracts = (await devnet())?.contracts.map(({ address }) => address);
  if (contracts) return contracts;
  const block = await recentBlock();
  if (!block) return undefined;
  const tokens = block.tokens.length > 0 ? block.tokens : await searchTokens(block.number);
  return tokens.length > 0 ? tokens : undefined;
}

async function searchTokens(to: number): Promise<readonly string[]> {
  const from = Math.max(to - SEARCHED_BLOCKS, 0);
  return tokensOf((await readGraph<{ readonly logs: readonly TransferLog[] }>(TRANSFERS, { from, to }))?.logs ?? []);
}

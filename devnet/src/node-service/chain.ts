import type { AnvilRequest } from './anvil-connection.ts';
import type { RpcJsonObject } from './behaviour/anvil-fixes.ts';

/** A block header of anvil. */
export interface AnvilHeader extends RpcJsonObject {
  readonly hash: string;
  readonly parentHash: string;
  readonly number: string;
}

/** A block with its logs, which anvil no longer returns after a reorg. */
export interface BlockWithLogs {
  readonly header: AnvilHeader;
  readonly logs: readonly RpcJsonObject[];
}

/** Blocks that a new head removed and added, both by ascending height. */
export interface AnvilChainChange {
  readonly removed: readonly BlockWithLogs[];
  readonly added: readonly BlockWithLogs[];
}

export interface AnvilChain {
  /** Processes an announced head, after the heads announced before it. A known head changes nothing. */
  addHead(head: AnvilHeader): Promise<void>;
  /**
   * Reads the logs of the last `depth` blocks, runs the reorg and resolves with the change after all listeners were called. No announced
   * head is processed meanwhile.
   */
  reorg(depth: number, runReorg: () => Promise<unknown>): Promise<AnvilChainChange>;
}

/** Number of newest blocks whose logs are stored. The removal of older blocks is reported without their logs. */
const MAX_BLOCKS = 512;

const numberOf = ({ header }: BlockWithLogs) => Number(header.number);

/**
 * Follows the canonical chain since the start of the service. Anvil announces every head of a new branch but no removed logs, so this
 * stores the logs of blocks. `onChange` is called once for each change.
 */
export async function followAnvilChain(request: AnvilRequest, onChange: (change: AnvilChainChange) => void): Promise<AnvilChain> {
  let chain: BlockWithLogs[] = [];
  let queue: Promise<unknown> = Promise.resolve();

  const latest = () => request<AnvilHeader>('eth_getBlockByNumber', 'latest', false);
  /** Undefined if a reorg removed the block before its logs were read: the block is not reported. */
  const readLogs = async (header: AnvilHeader): Promise<BlockWithLogs | undefined> => {
    const logs = await request<RpcJsonObject[]>('eth_getLogs', { blockHash: header.hash }).catch(() => undefined);
    return logs && { header, logs };
  };
  const position = (hash: string) => chain.findIndex(({ header }) => header.hash === hash);

  const apply = async (head: AnvilHeader): Promise<AnvilChainChange | undefined> => {
    if (position(head.hash) >= 0) return undefined;
    const branch = [head];
    // Read the missed heads, down to a known block or below all known blocks.
    while (position(branch[0]!.parentHash) < 0 && Number(branch[0]!.number) > numberOf(chain[0]!)) {
      const parent = await request<AnvilHeader | null>('eth_getBlockByHash', branch[0]!.parentHash, false);
      if (parent === null) return undefined;
      branch.unshift(parent);
    }
    const read = await Promise.all(branch.map(readLogs));
    const added = read.filter((block) => block !== undefined);
    if (added.length < read.length) return undefined;
    const removed = chain.slice(position(branch[0]!.parentHash) + 1);
    chain = [...chain.slice(0, chain.length - removed.length), ...added].slice(-MAX_BLOCKS);
    const change = { removed, added };
    onChange(change);
    return change;
  };

  const runInOrder = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const done = queue.then(task);
    queue = done.catch(() => {});
    return done;
  };

  /** Reads the last `depth` blocks and the block below them, with their logs. */
  const loadBlocks = async (depth: number) => {
    const head = await latest();
    await apply(head);
    while (chain.length <= depth && numberOf(chain[0]!) > 0) {
      const header = await request<AnvilHeader>('eth_getBlockByHash', chain[0]!.header.parentHash, false);
      const parent = header && (await readLogs(header));
      if (!parent) return;
      chain.unshift(parent);
    }
  };

  chain = [await readLogs(await latest()).then((tip) => tip!)];
  return {
    addHead: (head) => runInOrder(() => apply(head)).then(() => {}),
    reorg: (depth, runReorg) =>
      runInOrder(async () => {
        await loadBlocks(depth);
        await runReorg();
        return (await apply(await latest())) ?? { removed: [], added: [] };
      }),
  };
}

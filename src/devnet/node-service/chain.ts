import type { AnvilRequest } from './anvil-connection.ts';
import type { RpcJsonObject } from './behaviour/anvil-fixes.ts';

/** A header as anvil tells it. */
export interface AnvilHeader extends RpcJsonObject {
  readonly hash: string;
  readonly parentHash: string;
  readonly number: string;
}

/** A block with its logs, which anvil forgets when the block is abandoned. */
export interface BlockWithLogs {
  readonly header: AnvilHeader;
  readonly logs: readonly RpcJsonObject[];
}

/** What a new head means: blocks that are no longer of the chain and blocks that now are, both by ascending height. */
export interface AnvilChainChange {
  readonly removed: readonly BlockWithLogs[];
  readonly added: readonly BlockWithLogs[];
}

export interface AnvilChain {
  /** Takes a head that was announced; a known one changes nothing. In order: each is taken when those before it have been. */
  addHead(head: AnvilHeader): Promise<void>;
  /**
   * Lets something happen to the last blocks of the chain, with their logs known beforehand, and tells what came of it once every
   * listener has been told. No head is taken meanwhile.
   */
  reorg(depth: number, happening: () => Promise<unknown>): Promise<AnvilChainChange>;
}

/** Blocks whose logs are kept. A branch longer than this is told without removed logs. */
const MAX_BLOCKS = 512;

const numberOf = ({ header }: BlockWithLogs) => Number(header.number);

/**
 * The canonical chain since the service started, from heads. Anvil announces every head of a new branch but never a removed log, so the
 * logs of blocks are kept here. `changed` is called once for each change.
 */
export async function followAnvilChain(request: AnvilRequest, changed: (change: AnvilChainChange) => void): Promise<AnvilChain> {
  let known: BlockWithLogs[] = [];
  let work: Promise<unknown> = Promise.resolve();

  const latest = () => request<AnvilHeader>('eth_getBlockByNumber', 'latest', false);
  /** Undefined when the block has been abandoned before its logs could be read: nobody will be told of it. */
  const see = async (header: AnvilHeader): Promise<BlockWithLogs | undefined> => {
    const logs = await request<RpcJsonObject[]>('eth_getLogs', { blockHash: header.hash }).catch(() => undefined);
    return logs && { header, logs };
  };
  const position = (hash: string) => known.findIndex(({ header }) => header.hash === hash);

  const apply = async (head: AnvilHeader): Promise<AnvilChainChange | undefined> => {
    if (position(head.hash) >= 0) return undefined;
    const branch = [head];
    // Heads that were missed, down to a block that is known, or below all that are.
    while (position(branch[0]!.parentHash) < 0 && Number(branch[0]!.number) > numberOf(known[0]!)) {
      const parent = await request<AnvilHeader | null>('eth_getBlockByHash', branch[0]!.parentHash, false);
      if (parent === null) return undefined;
      branch.unshift(parent);
    }
    const seen = await Promise.all(branch.map(see));
    const added = seen.filter((one) => one !== undefined);
    if (added.length < seen.length) return undefined;
    const removed = known.slice(position(branch[0]!.parentHash) + 1);
    known = [...known.slice(0, known.length - removed.length), ...added].slice(-MAX_BLOCKS);
    const change = { removed, added };
    changed(change);
    return change;
  };

  const inTurn = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const done = work.then(task);
    work = done.catch(() => {});
    return done;
  };

  /** Makes the last blocks and the one below them known, with their logs. */
  const remember = async (depth: number) => {
    const head = await latest();
    await apply(head);
    while (known.length <= depth && numberOf(known[0]!) > 0) {
      const header = await request<AnvilHeader>('eth_getBlockByHash', known[0]!.header.parentHash, false);
      const parent = header && (await see(header));
      if (!parent) return;
      known.unshift(parent);
    }
  };

  known = [await see(await latest()).then((tip) => tip!)];
  return {
    addHead: (head) => inTurn(() => apply(head)).then(() => {}),
    reorg: (depth, happening) =>
      inTurn(async () => {
        await remember(depth);
        await happening();
        return (await apply(await latest())) ?? { removed: [], added: [] };
      }),
  };
}

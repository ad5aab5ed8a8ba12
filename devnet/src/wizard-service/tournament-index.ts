import type { TournamentEvent } from './events.ts';
import { newDuel, newWizard, type ServedDuel, type ServedWizard } from './served-entities.ts';

export interface IndexedBlockId {
  readonly number: number;
  readonly hash: string;
}

/** A block with the contract's events in the order of the logs. */
export interface IndexedBlock extends IndexedBlockId {
  readonly parentHash: string;
  readonly events: readonly TournamentEvent[];
}

/** The tournament at one block. */
export interface TournamentSnapshot {
  readonly wizards: ReadonlyMap<string, ServedWizard>;
  readonly duels: ReadonlyMap<string, ServedDuel>;
}

/** The index at its head as JSON. */
export interface SavedTournamentIndex {
  readonly head: IndexedBlockId;
  readonly wizards: readonly ServedWizard[];
  readonly duels: readonly (readonly [season: number, duel: ServedDuel])[];
  /** Number of duels that have started. */
  readonly started: number;
}

export interface TournamentIndex extends TournamentSnapshot {
  /** Undefined before the first block. */
  readonly head: IndexedBlockId | undefined;
  /** Hash of a block that can be rolled back to; undefined for an older or a future block. */
  hashAt(number: number): string | undefined;
  /** Applies the next block. Throws, without a change, if it is no child of the head. */
  apply(block: IndexedBlock): void;
  /** Rolls back to a block. False, without a change, if it cannot be rolled back to. */
  rollBackTo(hash: string): boolean;
  /** Undefined before the first block. */
  save(): SavedTournamentIndex | undefined;
  /** Removes everything, for a branch below all stored blocks. */
  reset(): void;
}

interface RollbackBlock extends IndexedBlockId {
  /** Each restores one value; run from last to first. */
  readonly undo: readonly (() => void)[];
}

export interface TournamentIndexOptions {
  /** Number of recent blocks that can be rolled back to. */
  readonly maxRollbackBlocks: number;
  /** Number of duels in a season. */
  readonly seasonDuels: number;
  /** Duels that started up to this block are never removed. */
  readonly historyBlock: number;
  /** The initial index, which cannot be rolled back. @default empty */
  readonly saved?: SavedTournamentIndex | undefined;
}

/**
 * Creates an index. The index has the duels of the current and the previous season, the duels in progress and the duels
 * of the history, and the wizards that are alive or in one of these duels. When a season starts, the index removes all
 * other duels and wizards.
 */
export function createTournamentIndex({
  maxRollbackBlocks,
  seasonDuels,
  historyBlock,
  saved,
}: TournamentIndexOptions): TournamentIndex {
  const wizards = new Map(saved?.wizards.map((wizard) => [wizard.id, wizard]));
  const duels = new Map(saved?.duels.map(([, duel]) => [duel.id, duel]));
  /** Season of each duel, from 0. */
  const seasons = new Map(saved?.duels.map(([season, { id }]) => [id, season]));
  let started = saved?.started ?? 0;
  let blocks: RollbackBlock[] = saved ? [{ ...saved.head, undo: [] }] : [];

  const applyEvents = ({ number, events }: IndexedBlock): (() => void)[] => {
    const undo: (() => void)[] = [];
    const put = <Value>(map: Map<string, Value>, key: string, value: Value) => {
      const before = map.get(key);
      undo.push(() => void (before === undefined ? map.delete(key) : map.set(key, before)));
      map.set(key, value);
    };
    const remove = <Value>(map: Map<string, Value>, key: string) => {
      const before = map.get(key)!;
      undo.push(() => void map.set(key, before));
      map.delete(key);
    };
    const startDuel = (id: string) => {
      const season = Math.floor(started / seasonDuels);
      started += 1;
      undo.push(() => {
        started -= 1;
      });
      put(seasons, id, season);
      if (season > 1 && (started - 1) % seasonDuels === 0) removeBefore(season - 1);
    };
    const removeBefore = (season: number) => {
      const listed = new Set<string>();
      for (const { id, endBlock, startBlock, wizard1Id, wizard2Id } of duels.values()) {
        if (endBlock !== null && startBlock > historyBlock && seasons.get(id)! < season) {
          remove(duels, id);
          remove(seasons, id);
        } else listed.add(wizard1Id).add(wizard2Id);
      }
      for (const { id, eliminatedBlockNumber } of wizards.values()) {
        if (eliminatedBlockNumber !== null && !listed.has(id)) remove(wizards, id);
      }
    };
    const change = <Value>(map: Map<string, Value>, key: string, update: Partial<Value>) => {
      const before = map.get(key);
      // The transfer event of a mint precedes the creation event, which has the same owner.
      if (before !== undefined) put(map, key, { ...before, ...update });
    };
    for (const event of events) {
      if (event.kind === 'created') put(wizards, event.id, newWizard(event, number));
      else if (event.kind === 'transferred') change(wizards, event.id, { owner: event.owner });
      else if (event.kind === 'powerChanged') change(wizards, event.id, { power: event.power });
      else if (event.kind === 'eliminated') change(wizards, event.id, { eliminatedBlockNumber: number });
      else if (event.kind === 'duelStarted') {
        put(duels, event.id, newDuel(event, number));
        startDuel(event.id);
      } else {
        const { kind, ...update } = event;
        change(duels, event.id, { ...update, endBlock: number, timedOut: kind === 'duelTimedOut' });
      }
    }
    return undo;
  };

  return {
    wizards,
    duels,
    get head() {
      return blocks.at(-1);
    },
    hashAt: (number) => blocks[number - (blocks[0]?.number ?? 0)]?.hash,
    apply(block) {
      const head = blocks.at(-1);
      if (head && (block.parentHash !== head.hash || block.number !== head.number + 1)) {
        throw new Error(`block ${block.number} is no child of block ${head.number}`);
      }
      blocks.push({ number: block.number, hash: block.hash, undo: applyEvents(block) });
      if (blocks.length > maxRollbackBlocks) blocks.shift();
    },
    rollBackTo(hash) {
      const index = blocks.findLastIndex((block) => block.hash === hash);
      if (index < 0) return false;
      for (const { undo } of blocks.splice(index + 1).reverse()) {
        for (const restore of undo.toReversed()) restore();
      }
      return true;
    },
    save() {
      const head = blocks.at(-1);
      return (
        head && {
          head: { number: head.number, hash: head.hash },
          wizards: [...wizards.values()],
          duels: [...duels.values()].map((duel) => [seasons.get(duel.id)!, duel] as const),
          started,
        }
      );
    },
    reset() {
      wizards.clear();
      duels.clear();
      seasons.clear();
      started = 0;
      blocks = [];
    },
  };
}

/** Heights of all blocks that wizards and duels name; the time-out of a duel may be in the future. */
export function referencedHeights({ wizards, duels }: TournamentSnapshot): Set<number> {
  const heights = new Set<number | null>();
  for (const { createdBlockNumber, eliminatedBlockNumber } of wizards.values()) {
    heights.add(createdBlockNumber).add(eliminatedBlockNumber);
  }
  for (const { startBlock, endBlock, timeoutBlock } of duels.values()) heights.add(startBlock).add(endBlock).add(timeoutBlock);
  heights.delete(null);
  return heights as Set<number>;
}

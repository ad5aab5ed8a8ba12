import DataLoader from 'dataloader';
import { tournamentTopic } from '../../../ethereum/abi/standards.ts';
import { isData, type Quantity, quantityOf } from '../../../ethereum/hex.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import type { DuelKey } from '../model.ts';
import type { LogSearches } from './searches.ts';

/** An event of a duel, at a known height. */
interface DuelEvent {
  readonly id: string;
  readonly isStart: boolean;
  readonly height: Quantity;
}

const START_TOPIC = tournamentTopic('DuelStart');
const END_TOPICS = [tournamentTopic('DuelEnd'), tournamentTopic('DuelTimeOut')];

const keyOf = ({ id, isStart, height }: DuelEvent): string => `${id} ${isStart} ${height}`;

/**
 * Creates the DataLoader of the events of duels: all events of a tick are one search of the tournament's contract by their indexed ids. Source:
 * `eth_getLogs`.
 */
export function duelLogLoader(logs: LogSearches, tournament: string | undefined) {
  const loader = new DataLoader<DuelEvent, RpcLog | null, string>(
    async (events) => {
      const heights = events.map(({ height }) => Number(height));
      const topics = [
        events.some(({ isStart }) => isStart) ? [START_TOPIC] : [],
        events.every(({ isStart }) => isStart) ? [] : END_TOPICS,
      ];
      const found = await logs.list(
        {
          addresses: [tournament!],
          topics: [topics.flat(), [...new Set(events.map(({ id }) => id))]],
          fromBlock: quantityOf(Math.min(...heights)),
          toBlock: quantityOf(Math.max(...heights)),
        },
        { full: false, receipt: false, block: undefined },
      );
      // The search includes the heights between those of the duels.
      const eventOf = ({ topics: [topic, id], blockNumber }: RpcLog): DuelEvent => ({
        id: id!,
        isStart: topic === START_TOPIC,
        height: blockNumber!,
      });
      const byKey = new Map(found.map((log) => [keyOf(eventOf(log)), log]));
      return events.map((event) => byKey.get(keyOf(event)) ?? null);
    },
    { cacheKeyFn: keyOf },
  );

  /** Null without an address of the tournament, without a height, and for an id that no event can have. */
  const load = async (id: string, isStart: boolean, height: Quantity | null | undefined): Promise<RpcLog | null> =>
    tournament !== undefined && height && isData(id, 32) ? loader.load({ id, isStart, height }) : null;

  return {
    /** Loads the event that started a duel. */
    start: ({ id, startBlockNumber }: DuelKey) => load(id, true, startBlockNumber),
    /** Loads the event that ended a duel; null while it is in progress. */
    end: ({ id, endBlockNumber }: DuelKey) => load(id, false, endBlockNumber),
  };
}

import { createRandomChoices } from '../support/random-choices.ts';
import { createEventStreamClient, createSocketClient } from './client.ts';
import { everyErrorHasACode, ONE_BLOCK_QUERY, oneOperationOneBlock } from './promises.ts';
import type { World } from './world.ts';

/** A client of a live query. It subscribes again after each loss of its connection. */
interface LiveClient {
  readonly name: string;
  /** Hash of the block of the last result; undefined before the first one, and after a result with errors. */
  last: string | undefined;
  leave(): void;
}

const CLIENTS = 3;

/** Starts clients of one live query: each result is of one block, and the last one of the head. */
export function startLiveQueries({ chain, url, counts, pause, fail }: World, seed: number) {
  // The random numbers of the other parts stay those of a simulation without live queries.
  const draw = createRandomChoices(seed);
  const start = (name: string): LiveClient => {
    const client = (draw.chance(0.5) ? createEventStreamClient : createSocketClient)(url, {});
    let hasLeft = false;
    const live: LiveClient = {
      name,
      last: undefined,
      leave() {
        hasLeft = true;
        client.dispose();
      },
    };
    /** Ends the simulation if a promise is broken. */
    const check = (promise: () => void) => {
      try {
        promise();
      } catch (error) {
        fail(error);
      }
    };
    const receive = async () => {
      for await (const result of client.iterate({ query: `query @live ${ONE_BLOCK_QUERY}` })) {
        counts.events += 1;
        check(() => everyErrorHasACode(result));
        // The node may return no most recent block.
        const isComplete = !result.errors && result.data.block;
        if (isComplete) check(() => oneOperationOneBlock(chain, result));
        live.last = isComplete ? result.data.block.hash : undefined;
      }
    };
    const follow = async () => {
      while (!hasLeft) {
        await receive().catch((error) => {
          // The server refuses the query with errors; otherwise the connection is lost.
          if (Array.isArray(error)) check(() => everyErrorHasACode({ errors: error }));
        });
        live.last = undefined;
        await pause(100);
      }
    };
    void follow();
    return live;
  };
  const all = Array.from({ length: CLIENTS }, (_none, i) => start(`live query ${i}`));
  return {
    /** Names of the clients whose last result is not that of the head. */
    lacking: () => all.filter(({ last }) => last !== chain.head.hash).map(({ name }) => name),
    leave(): void {
      for (const { leave } of all) leave();
    },
  };
}

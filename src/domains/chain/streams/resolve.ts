import { isNullish } from '../../../ethereum/block-results.ts';
import { quantityOf } from '../../../ethereum/hex.ts';
import type { Resolvers } from '../../../generated/chain.ts';
import type { SourceStream } from '../../../graphql/stream.ts';
import type { GraphError } from '../../../lib/errors.ts';
import type { ChainLoaders } from '../load.ts';
import { unknownHeadError } from '../log/cursor.ts';
import { positionError, type StreamStart } from '../subscriptions/past.ts';
import type { StreamKind } from './store.ts';

/**
 * Where a new stream begins: at the given start, else at the next block. The error BLOCK_NOT_AVAILABLE above it, because the server would store a
 * start that fails, and the error of an unknown head: a stream that exists needs no start.
 */
function startOfNewStream({ after, fromBlock }: StreamStart, { snapshot }: ChainLoaders): StreamStart | GraphError {
  if (!isNullish(after)) return { after };
  const { head } = snapshot.follower;
  if (!head) return unknownHeadError();
  if (isNullish(fromBlock)) return { fromBlock: quantityOf(head.height + 1) };
  return positionError({ height: Number(fromBlock) - 1, hash: undefined }, head) ?? { fromBlock };
}

/** Opens a subscription, with `stream` at the position that the server stores for the caller. */
export async function openStream<Args extends StreamStart & { readonly stream?: string | null | undefined }, Root>(
  chain: ChainLoaders,
  kind: StreamKind,
  args: Args,
  open: (args: Args) => SourceStream<Root>,
): Promise<SourceStream<Root>> {
  if (isNullish(args.stream)) return open(args);
  // Checks the arguments before the stream is created.
  open(args);
  const { position, hold } = await chain.streams.claim(
    chain.snapshot.operation,
    args.stream,
    kind,
    startOfNewStream(args, chain),
  );
  try {
    return { ...open({ ...args, ...position }), hold };
  } catch (error) {
    hold.release();
    throw error;
  }
}

export const streamResolvers = {
  Query: { streams: (_root, _args, { chain }) => chain.streams.list(chain.snapshot.operation) },
  Mutation: {
    acknowledge: (_root, { stream, cursor }, { chain }) => chain.streams.acknowledge(chain.snapshot.operation, stream, cursor),
    deleteStream: (_root, { name }, { chain }) => chain.streams.delete(chain.snapshot.operation, name),
  },
} satisfies Resolvers;

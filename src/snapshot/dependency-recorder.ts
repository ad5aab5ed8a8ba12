import type { ResponseDependencies } from '../graphql/dependencies.ts';
import { hasFound } from '../upstream/in-flight-requests.ts';
import type { ResultObserver } from '../upstream/rpc/operation-calls.ts';
import type { BlockPointer } from '../upstream/rpc/rpc-method.ts';
import type { FollowedChain } from './pinned-block.ts';

/** Records the blocks on which the results of an operation's calls depend, as far as these are valid at the operation's head. */
export function createDependencyRecorder(dependencies: ResponseDependencies, follower: FollowedChain): ResultObserver {
  const isCanonical = ({ number, hash }: BlockPointer): boolean =>
    isSettled(number) || follower.hashAt(number) === hash.toLowerCase();
  /** Blocks below the follower's window count as settled. */
  const isSettled = (height: string): boolean => follower.oldest !== undefined && Number(height) < follower.oldest.height;

  const addBlock = ({ hash, number }: BlockPointer): void => dependencies.addBlock(hash, Number(number));

  return {
    onResult(method, args, settled, key, cached) {
      if (!hasFound(settled) && !cached) return dependencies.addUnconfirmed(key);
      const hash = method.blockHash?.(...args);
      const height = method.height?.(...args);
      const block = 'value' in settled && settled.value !== null ? method.inclusionBlock?.(settled.value, ...args) : undefined;
      const isValid =
        cached !== undefined || hash !== undefined || (height === undefined ? block && isCanonical(block) : isSettled(height));
      if (!isValid) return dependencies.addUnconfirmed(key);
      // A call that was repeated may have found nothing before.
      dependencies.confirm(key);
      if (block) addBlock(block);
      else if (hash !== undefined) dependencies.addBlock(hash);
      else if (cached?.block) addBlock(cached.block);
      else if (height !== undefined) dependencies.addHeight(Number(height));
      return undefined;
    },
    onConfirmed(key, block) {
      dependencies.confirm(key);
      if (block) addBlock(block);
    },
  };
}

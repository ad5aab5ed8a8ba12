import { GraphError } from '../../errors.ts';
import { SOURCE_UNREADY_MS, type SourceHealth } from '../source-health.ts';
import type { Follower } from './follower.ts';

/** For how long the head may be unknown before the server counts as not ready. */
export const HEAD_UNREADY_MS = 15_000;

/**
 * Throws the reason why the server is not ready although its node answers: nobody has been able to confirm a head for 15 s, or what a
 * subscription needs has failed for 30 s.
 */
export function checkSyncReadiness({ status }: Pick<Follower, 'status'>, { failing }: Pick<SourceHealth, 'failing'>): void {
  if ((status.unknownMs ?? 0) > HEAD_UNREADY_MS) {
    throw new GraphError('STALE_UPSTREAM', `No head of the chain has been confirmed for ${seconds(status.unknownMs!)} s.`);
  }
  const source = failing.find(({ failingMs }) => failingMs > SOURCE_UNREADY_MS);
  if (source) {
    throw new GraphError(
      source.error.code,
      `What subscriptions need (${source.source}) has failed for ${seconds(source.failingMs)} s.`,
    );
  }
}

const seconds = (ms: number): number => Math.round(ms / 1000);

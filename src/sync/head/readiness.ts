import { GraphError } from '../../lib/errors.ts';
import { SOURCE_UNREADY_MS, type SourceHealth } from '../source-health.ts';
import type { Follower } from './follower.ts';

/** Milliseconds without a confirmed head after which the server is not ready. */
export const HEAD_UNREADY_MS = 15_000;

/**
 * Throws if the server is not ready although its node responds: STALE_UPSTREAM if no head has been confirmed for 15 s, or the upstream
 * error of a subscription source that has failed for 30 s.
 */
export function checkSyncReadiness({ status }: Pick<Follower, 'status'>, { failing }: Pick<SourceHealth, 'failing'>): void {
  if ((status.unknownMs ?? 0) > HEAD_UNREADY_MS) {
    throw new GraphError('STALE_UPSTREAM', `No head of the chain has been confirmed for ${seconds(status.unknownMs!)} s.`);
  }
  const failed = failing.find(({ failingMs }) => failingMs > SOURCE_UNREADY_MS);
  if (failed) {
    throw new GraphError(
      failed.error.code,
      `The subscription source ${failed.source} has failed for ${seconds(failed.failingMs)} s.`,
    );
  }
}

const seconds = (ms: number): number => Math.round(ms / 1000);

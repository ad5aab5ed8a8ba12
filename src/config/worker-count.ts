import { availableParallelism } from 'node:os';
import type { CoreSettings } from './core-settings.ts';

/** Workers for `auto` at most: each has caches and connections of its own. */
const MAX_AUTOMATIC_WORKERS = 4;

/** The number of processes that serve requests. */
export const workerCount = ({ WORKERS }: Pick<CoreSettings, 'WORKERS'>): number =>
  WORKERS === 'auto' ? Math.min(MAX_AUTOMATIC_WORKERS, availableParallelism()) : WORKERS;

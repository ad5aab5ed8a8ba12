import { availableParallelism } from 'node:os';
import type { CoreSettings } from './core-settings.ts';

/** Maximum number of workers for `auto`: each has separate caches and connections. */
const MAX_AUTOMATIC_WORKERS = 4;

/** The number of processes that serve requests. */
export const workerCount = ({ WORKERS }: Pick<CoreSettings, 'WORKERS'>): number =>
  WORKERS === 'auto' ? Math.min(MAX_AUTOMATIC_WORKERS, availableParallelism()) : WORKERS;

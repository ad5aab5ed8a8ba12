import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects all garbage of the process at once. */
export const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of the heap that are in use after a collection of garbage. */
export function usedHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

import { toDate } from '@grimoire/client';
import { useSyncExternalStore } from 'react';
import { formatAge } from './format.ts';

/** Calls a function every second. */
const subscribe = (onTick: () => void): (() => void) => {
  const timer = setInterval(onTick, 1000);
  return () => clearInterval(timer);
};

/** The age of a `timestamp` in seconds since 1970, which changes every second. */
export function Age({ timestamp }: { readonly timestamp: string }) {
  const now = useSyncExternalStore(subscribe, () => Math.floor(Date.now() / 1000));
  const date = toDate(timestamp);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {formatAge(Math.max(0, now - date.getTime() / 1000))}
    </time>
  );
}

import { useSyncExternalStore } from 'react';
import { formatAge, formatTime } from './format.ts';

/** Calls a function every second. */
const subscribe = (onTick: () => void): (() => void) => {
  const timer = setInterval(onTick, 1000);
  return () => clearInterval(timer);
};

/** The last second that a Date can represent. */
const MAX_SECONDS = 8_640_000_000_000;

/** The present time in whole seconds since 1970, which changes every second. */
export const useSeconds = (): number => useSyncExternalStore(subscribe, () => Math.floor(Date.now() / 1000));

const dateOf = (timestamp: string): Date => new Date(Math.min(Number(timestamp), MAX_SECONDS) * 1000);

/** The age of a `timestamp` in seconds since 1970, which changes every second. */
export function Age({ timestamp }: { readonly timestamp: string }) {
  const now = useSeconds();
  const date = dateOf(timestamp);
  return (
    <time dateTime={date.toISOString()} title={formatTime(date)}>
      {formatAge(Math.max(0, now - date.getTime() / 1000))}
    </time>
  );
}

/** The time and the age of a `timestamp`. */
export const Time = ({ timestamp }: { readonly timestamp: string }) => (
  <>
    {formatTime(dateOf(timestamp))}{' '}
    <span className="age">
      (<Age timestamp={timestamp} />)
    </span>
  </>
);

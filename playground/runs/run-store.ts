import type { ExecutionResult } from 'graphql';
import { useSyncExternalStore } from 'react';
import { type OperationRun, type RunInterruption, startedRun, withResult } from './run.ts';

/** Ids of the tabs of the page. */
interface OpenTabs {
  readonly tabs: readonly { readonly id: string }[];
  readonly activeTabIndex: number;
}

/** Records the results of one run. */
export interface RunRecorder {
  /** Aborts when another tab is shown: GraphiQL would write the events into that tab. */
  readonly signal: AbortSignal;
  /** Adds a response, or an event; `blockHash` is that of the headers of the response. */
  add(result: ExecutionResult, blockHash?: string | null): void;
  /** The subscription has a connection. */
  connect(): void;
  /** The subscription has lost its connection, and will be resumed. */
  interrupt(interruption: Omit<RunInterruption, 'isConnected'>): void;
  /** The operation has no response, for a reason that this sentence states. */
  fail(failure: string): void;
  end(): void;
}

/** Receives whether a run has started; false when it was removed. */
type RunListener = (isStarted: boolean) => void;

/** The last run of each tab, by its id. */
const runs = new Map<string, { current: OperationRun }>();
const listeners = new Set<() => void>();
const runListeners = new Set<RunListener>();
let activeTab = '';
let control = new AbortController();

const notify = () => {
  for (const listener of listeners) listener();
};

/** Follows the tabs: GraphiQL calls it before it executes an operation. */
export function setOpenTabs({ tabs, activeTabIndex }: OpenTabs): void {
  const id = tabs[activeTabIndex]!.id;
  if (id !== activeTab) control.abort();
  activeTab = id;
  for (const closed of runs.keys()) if (!tabs.some((tab) => tab.id === closed)) runs.delete(closed);
}

/** Starts a run in the active tab, in place of its last one. */
export function startRun(isSubscription: boolean): RunRecorder {
  const tab = activeTab;
  const startedAt = performance.now();
  control = new AbortController();
  const run = { current: startedRun(isSubscription) };
  const store = (next: OperationRun) => {
    run.current = next;
    // A later run of the tab may have replaced this one.
    if (runs.get(tab) === run) notify();
  };
  runs.set(tab, run);
  notify();
  for (const listener of runListeners) listener(true);
  return {
    signal: control.signal,
    add: (result, blockHash) => store(withResult(run.current, result, blockHash)),
    connect() {
      const { interruption } = run.current;
      if (interruption) store({ ...run.current, interruption: { ...interruption, isConnected: true } });
    },
    interrupt: (interruption) => store({ ...run.current, interruption: { ...interruption, isConnected: false } }),
    fail: (failure) => store({ ...run.current, failure }),
    end: () =>
      store({
        ...run.current,
        isRunning: false,
        interruption: null,
        durationMs: isSubscription ? null : performance.now() - startedAt,
      }),
  };
}

/** Removes the last run of the active tab, which is of another operation. */
export function clearRun(): void {
  runs.delete(activeTab);
  notify();
  for (const listener of runListeners) listener(false);
}

/** Calls a function when a run of the active tab starts or is removed. Returns a function that ends this. */
export function onRunChange(listener: RunListener): () => void {
  runListeners.add(listener);
  return () => {
    runListeners.delete(listener);
  };
}

/** Removes the events of a tab from its list. Their number continues. */
export function clearEvents(tab: string): void {
  const run = runs.get(tab);
  if (!run) return;
  run.current = { ...run.current, events: [] };
  notify();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** The last run of a tab. */
export const useRun = (tab: string): OperationRun | undefined => useSyncExternalStore(subscribe, () => runs.get(tab)?.current);

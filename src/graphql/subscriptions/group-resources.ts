import type { QueuedEvents } from './event-execution.ts';
import type { ExecutionTurns } from './execution-turns.ts';

/** Counters over all groups of a server. */
interface SubscriptionCounts {
  /** Current number of subscribers. */
  subscribers: number;
  /** Number of events passed to the sinks of subscribers. */
  sent: number;
  /** Number of subscribers ended with SLOW_CONSUMER. */
  slow: number;
}

/** The objects that all groups of a server share. */
export interface GroupResources {
  readonly counts: SubscriptionCounts;
  /** The queued events of all groups. */
  readonly queuedEvents: QueuedEvents;
  /** Turns of groups. */
  readonly turns: ExecutionTurns;
  /** Turns of the groups of live queries: all start in the tick of a new head, so that their calls share a request. */
  readonly liveTurns: ExecutionTurns;
  /**
   * Turns of subscribers that read missed events. Separate from the turns of groups, so that many clients that resume
   * at once do not delay new events.
   */
  readonly replayTurns: ExecutionTurns;
}

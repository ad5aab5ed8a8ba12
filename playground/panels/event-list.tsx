import { useGraphiQLActions } from '@graphiql/react';
import type { ExecutionResult } from 'graphql';
import { memo, useState } from 'react';
import { type Gap, MAX_SHOWN_EVENTS, type OperationRun, type ReceivedEvent, type RunInterruption } from '../runs/run.ts';
import { clearEvents } from '../runs/run-store.ts';

const integers = new Intl.NumberFormat('en');
const times = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

interface EventListProps {
  readonly run: OperationRun;
  /** Id of its tab. */
  readonly tab: string;
}

const GAPS: Readonly<Record<Gap, string>> = {
  none: 'Resumed after the event before: none is missing.',
  possible: 'Resumed: events in between may be missing or repeated.',
  certain: 'Events are missing. Run again to continue from now.',
};

/** The events of a subscription, newest first. */
export function EventList({ run, tab }: EventListProps) {
  const { stop } = useGraphiQLActions();
  const { events, eventCount, isRunning, interruption } = run;
  return (
    <section className="events" aria-label="Events">
      <header>
        <p aria-live="polite">
          <i className={stateOf(run)} aria-hidden="true" />
          <b>{integers.format(eventCount)}</b> {eventCount === 1 ? 'event' : 'events'}
          {eventCount > MAX_SHOWN_EVENTS && `, the last ${MAX_SHOWN_EVENTS} shown`}
        </p>
        {isRunning && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
        <button type="button" onClick={() => clearEvents(tab)} disabled={events.length === 0}>
          Clear
        </button>
      </header>
      {interruption ? (
        <p className="interruption" role="status">
          {textOfInterruption(interruption)}
        </p>
      ) : (
        eventCount === 0 && <p className="waiting">{isRunning ? 'Waiting for the first event …' : 'Ended without an event.'}</p>
      )}
      <ol>
        {events.map((event) => (
          <EventItem key={event.position} event={event} />
        ))}
      </ol>
    </section>
  );
}

const stateOf = ({ isRunning, interruption }: OperationRun): string | undefined =>
  isRunning ? (interruption?.isConnected === false ? 'interrupted' : 'running') : undefined;

const textOfInterruption = ({ reason, attempt, isConnected }: RunInterruption): string =>
  isConnected
    ? 'The connection is there again. Waiting for the next event …'
    : `${reason} Connecting again, attempt ${attempt} …`;

/** Its data first, which the server sends after the extensions. */
const textOfResult = ({ data, errors, extensions }: ExecutionResult): string =>
  JSON.stringify({ data, errors, extensions }, null, 2);

const EventItem = memo(({ event: { position, receivedAt, result, summary, gap } }: { readonly event: ReceivedEvent }) => {
  // The text of an event is long: only that of an expanded one is in the page.
  const [isExpanded, setExpanded] = useState(false);
  return (
    <li>
      <details className={result.errors ? 'failed' : undefined} onToggle={({ currentTarget }) => setExpanded(currentTarget.open)}>
        <summary>
          <b>{integers.format(position)}</b>
          <time dateTime={receivedAt.toISOString()}>{times.format(receivedAt)}</time>
          <code>
            {summary.map(({ name, value, isChanged }) => (
              <span key={name} className={isChanged ? 'changed' : undefined}>
                {name} <b>{value}</b>
              </span>
            ))}
          </code>
          {gap && <em className={gap}>{GAPS[gap]}</em>}
        </summary>
        {isExpanded && <pre>{textOfResult(result)}</pre>}
      </details>
    </li>
  );
});

import { useGraphiQLActions } from '@graphiql/react';
import { memo, useState } from 'react';
import { MAX_SHOWN_EVENTS, type OperationRun, type ReceivedEvent } from '../runs/run.ts';
import { clearEvents } from '../runs/run-store.ts';

const integers = new Intl.NumberFormat('en');
const times = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

/** Maximum number of characters of an event in its line of the list. */
const MAX_SUMMARY = 300;

interface EventListProps {
  readonly run: OperationRun;
  /** Id of its tab. */
  readonly tab: string;
}

/** The events of a subscription, newest first. */
export function EventList({ run, tab }: EventListProps) {
  const { stop } = useGraphiQLActions();
  const { events, eventCount, isRunning } = run;
  return (
    <section className="events" aria-label="Events">
      <header>
        <p aria-live="polite">
          <i className={isRunning ? 'running' : undefined} aria-hidden="true" />
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
      {eventCount === 0 && <p className="waiting">{isRunning ? 'Waiting for the first event …' : 'Ended without an event.'}</p>}
      <ol>
        {events.map((event) => (
          <EventItem key={event.position} event={event} />
        ))}
      </ol>
    </section>
  );
}

const EventItem = memo(({ event: { position, receivedAt, result } }: { readonly event: ReceivedEvent }) => {
  // The text of an event is long: only that of an expanded one is in the page.
  const [isExpanded, setExpanded] = useState(false);
  return (
    <li>
      <details className={result.errors ? 'failed' : undefined} onToggle={({ currentTarget }) => setExpanded(currentTarget.open)}>
        <summary>
          <b>{integers.format(position)}</b>
          <time dateTime={receivedAt.toISOString()}>{times.format(receivedAt)}</time>
          <code>{summaryOf(result)}</code>
        </summary>
        {isExpanded && <pre>{JSON.stringify(result, null, 2)}</pre>}
      </details>
    </li>
  );
});

/** The values of the one root field of an event, or its errors. */
function summaryOf({ data, errors }: ReceivedEvent['result']): string {
  const value = errors ?? Object.values((data ?? {}) as object)[0];
  return JSON.stringify(value ?? null)
    .slice(0, MAX_SUMMARY)
    .replace(/"(\w+)":/g, '$1: ')
    .replaceAll(',', ', ');
}

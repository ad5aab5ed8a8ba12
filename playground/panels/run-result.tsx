import { useGraphiQL } from '@graphiql/react';
import { useRun } from '../runs/run-store.ts';
import { EventList } from './event-list.tsx';
import { RunFailure } from './run-failure.tsx';
import { RunStatus } from './run-status.tsx';

/** What GraphiQL does not show of the last run of the active tab: the events of a subscription, the cost and the block. */
export function RunResult() {
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]!.id);
  const run = useRun(tab);
  return (
    <>
      {run?.failure && <RunFailure text={run.failure} />}
      {run?.isSubscription && <EventList run={run} tab={tab} />}
      {!run?.failure && <RunStatus run={run} />}
    </>
  );
}

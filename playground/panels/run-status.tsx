import type { OperationRun } from '../runs/run.ts';

const integers = new Intl.NumberFormat('en');
const costs = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

const plural = (count: number, noun: string): string => `${integers.format(count)} ${noun}${count === 1 ? '' : 's'}`;

/** What the last run of the tab has cost, and the block of its response. */
export function RunStatus({ run }: { readonly run: OperationRun | undefined }) {
  if (!run)
    return (
      <p className="run-status">
        Not executed yet. Run the operation (Ctrl-Enter) to see its response, its cost and its upstream calls.
      </p>
    );
  const { cost, block, durationMs, isRunning } = run;
  return (
    <p className="run-status" role="status">
      {block !== null && (
        <span>
          block <b>{typeof block === 'number' ? integers.format(block) : <code>{block.slice(0, 10)}…</code>}</b>
        </span>
      )}
      {cost && (
        <>
          <span title={`Estimated before the execution: ${costs.format(cost.estimate)}`}>
            cost <b>{costs.format(cost.actual)}</b>
          </span>
          <span title="The price that hosted nodes bill">
            <b>{integers.format(cost.computeUnits)}</b> {cost.computeUnits === 1 ? 'compute unit' : 'compute units'}
          </span>
          <span>{cost.requests === 0 ? 'all cached' : describeCalls(cost.requests, cost.calls)}</span>
        </>
      )}
      {durationMs !== null && <span>{integers.format(Math.round(durationMs))} ms</span>}
      {isRunning && <span>running</span>}
    </p>
  );
}

const describeCalls = (requests: number, calls: number): string =>
  `${plural(calls, 'upstream call')} in ${plural(requests, 'request')}`;

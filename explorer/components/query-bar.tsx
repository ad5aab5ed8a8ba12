import { playgroundUrl } from '../graph/endpoint.ts';
import type { GraphResponse } from '../graph/fetch-graph.ts';
import { formatInteger } from './format.ts';

const plural = (count: number, noun: string): string => `${formatInteger(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Describes the upstream calls of an operation. */
export const describeCost = ({ cost }: GraphResponse<unknown>): string | null => {
  if (!cost) return null;
  if (cost.requests === 0) return 'no upstream request, all cached';
  return `${plural(cost.requests, 'upstream request')} with ${plural(cost.calls, 'call')}`;
};

/** The URL that opens the operation in the playground, with a comment that states its upstream calls. */
export function playgroundLink(response: GraphResponse<unknown>): string {
  const { text, variables } = response;
  const cost = describeCost(response);
  const comment = cost && `# The explorer's last request: ${cost}.\n`;
  const parameters = new URLSearchParams({ query: `${comment ?? ''}${text}\n` });
  if (Object.keys(variables).length > 0) parameters.set('variables', JSON.stringify(variables, null, 2));
  return `${playgroundUrl}#${parameters}`;
}

/** What the operation of the page has cost, and a link to it. */
export function QueryBar({ response }: { readonly response: GraphResponse<unknown> }) {
  const { blockNumber, durationMs } = response;
  const cost = describeCost(response);
  return (
    <aside className="query-bar" aria-label="Operation of this page">
      <p>
        <b>1 operation</b>
        {cost && <span data-cost>{cost}</span>}
        {blockNumber !== null && <span>all at block {formatInteger(blockNumber)}</span>}
        <span>{Math.round(durationMs)} ms</span>
      </p>
      <a href={playgroundLink(response)}>Show the query</a>
    </aside>
  );
}

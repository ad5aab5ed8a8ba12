import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { earliestBlock, failureKind, type OutageKind, problemOf } from '../data/problems.ts';
import { type GraphResponse, isEmpty } from '../graph/fetch-graph.ts';
import { useLive } from '../graph/live.tsx';
import { VariablesContext } from '../graph/removed-rows.ts';
import type { GraphQuery } from '../graph/use-graph.ts';
import { Time } from './age.tsx';
import { ErrorsContext } from './empty.tsx';
import { formatInteger } from './format.ts';
import { Problem } from './problem.tsx';
import { QueryBar } from './query-bar.tsx';

interface PageProps<Data> {
  /** Title of the document and the heading. */
  readonly title: string;
  /** What stands above the title. */
  readonly kind?: string;
  /** Title of the document, where the heading is no name. */
  readonly name?: string | null | undefined;
  readonly query: GraphQuery<Data>;
  readonly children: (data: Data, response: GraphResponse<Data>) => ReactNode;
}

/** A page of one operation: its title, its cost, its errors and its contents. */
export function Page<Data>({ title, kind, name, query, children }: PageProps<Data>) {
  const { isPrevious, failure, retry } = query;
  const { connection } = useLive();
  const documentTitle = name ?? (kind && !title.startsWith(kind) ? `${kind} ${title}` : title);
  useEffect(() => {
    document.title = `${documentTitle} · Grimoire`;
  }, [documentTitle]);
  const lost = connection.kind === 'node' || connection.kind === 'server' ? connection.kind : null;
  const outage = lost ?? (failure && failureKind(failure));
  // The data of another page does not stand in for data that cannot be loaded.
  const response = outage && isPrevious ? undefined : query.response;
  // The data of a response without the node is no state of the chain.
  const isWhole = response && !response.errors.some((error) => problemOf(error) === 'node');
  // A response without the node is repeated while the server responds.
  const isDated = response && (isWhole || outage === 'server');
  const hasData = response?.data && !(response.errors.length > 0 && isEmpty(response.data));
  return (
    <main className={isPrevious && response ? 'previous' : undefined} aria-busy={response === undefined || isPrevious}>
      <header className="title">
        {kind && <p className="kind">{kind}</p>}
        <h1>{title}</h1>
      </header>
      {response && <QueryBar response={response} />}
      {outage && isDated && <Stale response={response} kind={outage} onRetry={retry} />}
      {outage && !isDated && <Outage kind={outage} onRetry={retry} />}
      {response && response.errors.length > 0 && (isWhole || !outage) && <Errors response={response} onRetry={retry} />}
      {!response && !outage && <p className="loading">Loading</p>}
      {hasData && (
        <VariablesContext value={JSON.stringify(response.variables)}>
          <ErrorsContext value={response.errors}>{children(response.data!, response)}</ErrorsContext>
        </VariablesContext>
      )}
    </main>
  );
}

interface PlainPageProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** A page without an operation. */
export function PlainPage({ title, children }: PlainPageProps) {
  useEffect(() => {
    document.title = `${title} · Grimoire`;
  }, [title]);
  return (
    <main>
      <header className="title">
        <h1>{title}</h1>
      </header>
      {children}
    </main>
  );
}

/** A short message within a page. */
export const Notice = ({ children }: { readonly children: ReactNode }) => (
  <p className="notice" role="status">
    {children}
  </p>
);

interface OutageProps {
  readonly kind: OutageKind;
  readonly onRetry: () => void;
}

const OUTAGES: Readonly<Record<OutageKind, readonly [title: string, text: string]>> = {
  server: [
    'The server is unreachable',
    'Check that the server runs and that this device is online. The page connects again by itself and then shows the data.',
  ],
  node: [
    'The node does not respond',
    'The server runs, but its Ethereum node does not respond. The page tries again by itself and shows the data as soon as the node responds.',
  ],
  busy: [
    'The server limits the number of requests',
    'It refuses further requests for a moment. The page tries again by itself and then shows the data.',
  ],
};

/** A page without data while the node or the server does not respond. */
const Outage = ({ kind, onRetry }: OutageProps) => (
  <Problem kind={kind} title={OUTAGES[kind][0]} onRetry={onRetry}>
    {OUTAGES[kind][1]}
  </Problem>
);

/** States of which block and time the values of a page are that can not be updated. */
const Stale = ({ response, kind, onRetry }: OutageProps & { readonly response: GraphResponse<unknown> }) => (
  <section className={`notice stale ${kind}`} data-stale={kind} aria-label="Age of the data">
    <p>
      <b role="status">{OUTAGES[kind][0]}.</b> This page shows
      {response.errors.length === 0 && ' complete'} data{' '}
      {response.blockNumber !== null && <>of block {formatInteger(response.blockNumber)}, </>}
      as of <Time timestamp={String(Math.floor(response.receivedAt / 1000))} />.
    </p>
    <button type="button" onClick={onRetry}>
      Try now
    </button>
  </section>
);

/** History that the node has removed: no later request returns it. */
const Pruned = ({ earliest }: { readonly earliest: number | null }) => (
  <Problem kind="pruned" title="Older blocks are pruned">
    The node removes old history to save space, and no longer has what this page shows.{' '}
    {earliest !== null && (
      <>
        It has the blocks from <Link href={`/block/${earliest}`}>{formatInteger(earliest)}</Link> on.
      </>
    )}
  </Problem>
);

/** A page of a list whose cursor names a block that a reorg has removed. */
function Expired({ children }: { readonly children: ReactNode }) {
  const [path] = useLocation();
  return (
    <Problem kind="expired" title="A reorg has removed a block of this list">
      {children} <Link href={path}>The newest entries</Link>
    </Problem>
  );
}

interface ErrorsProps {
  readonly response: GraphResponse<unknown>;
  readonly onRetry: () => void;
}

/** The errors of a response by their kinds. */
function Errors({ response, onRetry }: ErrorsProps) {
  const kinds = new Set(response.errors.map(problemOf));
  const [first] = response.errors;
  if (kinds.has('missing'))
    return (
      <Problem kind="missing" title="This server does not have this part of the graph">
        {first?.message} A tournament needs the setting <code>WIZARDS_URL</code>.
      </Problem>
    );
  if (kinds.has('invalid'))
    return (
      <Problem kind="invalid" title="Invalid input">
        {first?.message} Correct the address of this page, or search again: press <kbd>/</kbd>.
      </Problem>
    );
  if (kinds.has('service'))
    return (
      <Problem kind="service" title="The wizard service does not respond" onRetry={onRetry}>
        The chain is not affected. The page tries again with the next block.
      </Problem>
    );
  if (kinds.has('expired')) return <Expired>{first?.message}</Expired>;
  if (kinds.has('node')) return <Outage kind="node" onRetry={onRetry} />;
  if (kinds.has('pruned') && kinds.size === 1) return <Pruned earliest={earliestBlock(response.errors)} />;
  return (
    <Problem kind="other" title="Some data could not be read" onRetry={onRetry}>
      <ul>
        {response.errors.slice(0, 5).map(({ message, path, extensions }) => (
          <li key={`${path} ${message}`}>
            {path && <code>{path.join('.')}</code>} {message} <small>{String(extensions?.code ?? '')}</small>
          </li>
        ))}
      </ul>
    </Problem>
  );
}

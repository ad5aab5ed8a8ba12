import { type ReactNode, useEffect } from 'react';
import type { GraphResponse } from '../graph/fetch-graph.ts';
import type { GraphQuery } from '../graph/use-graph.ts';
import { QueryBar } from './query-bar.tsx';

interface PageProps<Data> {
  /** Title of the document and the heading. */
  readonly title: string;
  /** What stands above the title. */
  readonly kind?: string;
  readonly query: GraphQuery<Data>;
  readonly children: (data: Data, response: GraphResponse<Data>) => ReactNode;
}

/** A page of one operation: its title, its cost, its errors and its contents. */
export function Page<Data>({ title, kind, query, children }: PageProps<Data>) {
  const { response, isPrevious, failure } = query;
  useEffect(() => {
    document.title = `${title} · Grimoire`;
  }, [title]);
  return (
    <main className={isPrevious ? 'previous' : undefined} aria-busy={response === undefined || isPrevious}>
      <header className="title">
        {kind && <p className="kind">{kind}</p>}
        <h1>{title}</h1>
      </header>
      {response && <QueryBar response={response} />}
      {failure && !response && <Notice>The server does not respond: {failure.message}. The page tries again.</Notice>}
      {response && response.errors.length > 0 && <Errors response={response} />}
      {!response && !failure && <p className="loading">Loading</p>}
      {response?.data && children(response.data, response)}
    </main>
  );
}

/** A message in place of contents. */
export const Notice = ({ children }: { readonly children: ReactNode }) => (
  <p className="notice" role="status">
    {children}
  </p>
);

/** The errors of a response, each with the field that it is about. */
function Errors({ response }: { readonly response: GraphResponse<unknown> }) {
  const isMissing = response.errors.every(({ extensions }) => extensions?.code === 'GRAPHQL_VALIDATION_FAILED');
  if (isMissing)
    return (
      <Notice>
        This server does not have this part of the graph: {response.errors[0]?.message} A tournament needs the setting{' '}
        <code>WIZARDS_URL</code>.
      </Notice>
    );
  return (
    <ul className="notice" role="status">
      {response.errors.slice(0, 5).map(({ message, path, extensions }) => (
        <li key={`${path} ${message}`}>
          {path && <code>{path.join('.')}</code>} {message} <small>{String(extensions?.code ?? '')}</small>
        </li>
      ))}
    </ul>
  );
}

import { useQuery } from '@tanstack/react-query';
import { graphql } from '../graph/documents.ts';
import { fetchGraph } from '../graph/fetch-graph.ts';
import { problemOf } from './problems.ts';

/** The server validates the field and does not execute it. */
const DOMAIN = graphql(`
  query TournamentDomain {
    __typename
    wizards(first: 1) @include(if: false) { totalCount }
  }
`);

/** Whether the schema of the server has a tournament; undefined until it is known. */
export function useTournamentDomain(): boolean | undefined {
  const { data } = useQuery({
    queryKey: ['tournament domain'],
    queryFn: ({ signal }) => fetchGraph(String(DOMAIN), {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data && !data.errors.some((error) => problemOf(error) === 'missing');
}

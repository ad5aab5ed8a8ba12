import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import { NodeUnavailable, problemOf } from '../data/problems.ts';
import type { TypedDocument } from './documents.ts';
import { type GraphResponse, isEmpty } from './fetch-graph.ts';
import { fetchHistory } from './fetch-history.ts';
import { useLive } from './live.tsx';

/** The state of the operation of a page. */
export interface GraphQuery<Data> {
  /** The last response; undefined while the first one is pending. */
  readonly response: GraphResponse<Data> | undefined;
  /** Whether the response belongs to the variables before. */
  readonly isPrevious: boolean;
  /** Why there is no response, if the last request has failed. */
  readonly failure: Error | null;
  /** Requests it at once instead of after the delay of the next attempt. */
  retry(): void;
}

/** Time until a response without a part that the node did not return is requested again, in milliseconds. */
const PARTIAL_RETRY_MS = 4_000;

const nodeErrorOf = ({ errors }: GraphResponse<unknown>) => errors.find((error) => problemOf(error) === 'node');

export interface GraphQueryOptions<Data> {
  /** Whether to request it again with each new head; a function decides by the last data. */
  readonly live?: boolean | ((data: Data | null) => boolean);
}

function onVisibilityChange(listener: () => void): () => void {
  window.document.addEventListener('visibilitychange', listener);
  return () => window.document.removeEventListener('visibilitychange', listener);
}

/** Executes the operation of a page, and again with each head if it is live. */
export function useGraph<Data, Variables extends object>(
  document: TypedDocument<Data, Variables>,
  variables: Variables,
  { live = false }: GraphQueryOptions<Data> = {},
): GraphQuery<Data> {
  const text = String(document);
  const { data, failureReason, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [text, variables],
    queryFn: async ({ signal, client, queryKey }) => {
      const response = await fetchHistory<Data>(text, variables as Readonly<Record<string, unknown>>, signal);
      const unavailable = nodeErrorOf(response);
      // An earlier complete response is more useful than a part, and states its block.
      if (unavailable && (isEmpty(response.data as object | null) || client.getQueryData(queryKey)))
        throw new NodeUnavailable(unavailable.message);
      return response;
    },
    placeholderData: keepPreviousData,
    // A chain without a wizard service remains without one.
    refetchInterval: ({ state: { data } }) =>
      data && (nodeErrorOf(data) || data.chainErrors.some((error) => problemOf(error) !== 'missing')) && PARTIAL_RETRY_MS,
  });
  const { head, connection } = useLive();
  const isLive = typeof live === 'function' ? live(data?.data ?? null) : live;
  const isVisible = useSyncExternalStore(onVisibilityChange, () => window.document.visibilityState === 'visible');
  /** The head for which the last request was sent: another one that arrives during a request, or while the page is hidden, is requested later. */
  const requested = useRef(head);
  useEffect(() => {
    if (!head || !isLive || !isVisible || isFetching || requested.current === head) return;
    requested.current = head;
    void refetch({ cancelRefetch: false });
  }, [head, isLive, isVisible, isFetching, refetch]);
  const recover = useEffectEvent(() => {
    if (failureReason !== null) void refetch({ cancelRefetch: true });
  });
  useEffect(() => {
    if (connection.kind === 'live') recover();
  }, [connection.kind]);
  return {
    response: data,
    isPrevious: isPlaceholderData,
    failure: failureReason,
    retry: () => void refetch({ cancelRefetch: true }),
  };
}

import { useEffect, useRef, useState } from 'react';
import { type ConnectionFacts, connectionOf } from '../data/connection.ts';
import { problemOf, ServerBusy } from '../data/problems.ts';
import { graphql } from './documents.ts';
import { onConnectionChange } from './endpoint.ts';
import { fetchGraph } from './fetch-graph.ts';

/** One call that the server does not answer by itself. */
const PROBE = graphql(`
  query Probe {
    gasPrice
  }
`);
/** The server answers it by itself. */
const SERVER_PROBE = graphql(`
  query ServerProbe {
    __typename
  }
`);

/** Time without a head after which the node is probed, and the time that a probe may take, in milliseconds. */
const SILENCE_MS = 5_000;
const PROBE_TIMEOUT_MS = 3_000;

const INITIAL: ConnectionFacts = {
  isConnected: null,
  lostAt: 0,
  retryAt: null,
  hasResponded: false,
  nodeSilentSince: null,
  isServerSilent: false,
};

/** What does not respond. Undefined when the server cannot be reached, which the WebSocket reports. */
type Silence = 'none' | 'node' | 'server' | undefined;

async function probe(): Promise<Silence> {
  const silence = await send(PROBE, 'node');
  // A request that needs no node shows whether the timeout is the node's or the server's.
  return silence === 'node' ? ((await send(SERVER_PROBE, 'server')) === 'server' ? 'server' : 'node') : silence;
}

async function send(document: unknown, silent: 'node' | 'server'): Promise<Silence> {
  try {
    const { errors } = await fetchGraph(String(document), {}, AbortSignal.timeout(PROBE_TIMEOUT_MS));
    return errors.some((error) => problemOf(error) === 'node') ? 'node' : 'none';
  } catch (error) {
    if (error instanceof ServerBusy) return 'none';
    return (error as Error).name === 'TimeoutError' ? silent : undefined;
  }
}

/**
 * Observes the WebSocket, and the node by its heads. A chain may be quiet, so that the node is probed after some seconds without a head.
 * `reportHead` and `reportRetry` receive the events of a subscription.
 */
export function useConnection() {
  const [facts, setFacts] = useState(INITIAL);
  const change = (part: Partial<ConnectionFacts>) => setFacts((earlier) => ({ ...earlier, ...part }));
  const lastSign = useRef(0);
  useEffect(
    () =>
      onConnectionChange((isConnected) =>
        setFacts(({ lostAt, retryAt, ...earlier }) => ({
          ...earlier,
          isConnected,
          lostAt: earlier.isConnected === false ? lostAt : Date.now(),
          retryAt: isConnected ? null : retryAt,
        })),
      ),
    [],
  );
  useEffect(() => {
    const openedAt = Date.now();
    let isProbing = false;
    const probeSilentNode = async () => {
      if (isProbing || document.visibilityState !== 'visible' || Date.now() - lastSign.current < SILENCE_MS) return;
      isProbing = true;
      const sign = lastSign.current;
      const silence = await probe();
      isProbing = false;
      // A head that has arrived meanwhile is newer than the result.
      if (sign !== lastSign.current || silence === undefined) return;
      const isResponding = silence === 'none';
      if (isResponding) lastSign.current = Date.now();
      setFacts((earlier) => ({
        ...earlier,
        hasResponded: earlier.hasResponded || isResponding,
        nodeSilentSince: isResponding ? null : sign || openedAt,
        isServerSilent: silence === 'server',
      }));
    };
    void probeSilentNode();
    const timer = setInterval(probeSilentNode, 1_000);
    return () => clearInterval(timer);
  }, []);
  return {
    connection: connectionOf(facts),
    reportHead: () => {
      lastSign.current = Date.now();
      if (!facts.hasResponded || facts.nodeSilentSince !== null)
        change({ hasResponded: true, nodeSilentSince: null, isServerSilent: false });
    },
    reportRetry: (delayMs: number) => change({ retryAt: Date.now() + delayMs }),
  };
}

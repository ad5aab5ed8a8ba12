import { useEffect, useRef, useState } from 'react';
import { type ConnectionFacts, connectionOf } from '../data/connection.ts';
import { problemOf } from '../data/problems.ts';
import { graphql } from './documents.ts';
import { onConnectionChange } from './endpoint.ts';
import { fetchGraph } from './fetch-graph.ts';

/** One call that the server does not answer by itself. */
const PROBE = graphql(`
  query Probe {
    gasPrice
  }
`);

/** Time without a head after which the node is probed, and the time that a probe may take, in milliseconds. */
const SILENCE_MS = 5_000;
const PROBE_TIMEOUT_MS = 3_000;

const INITIAL: ConnectionFacts = { isConnected: null, lostAt: 0, retryAt: null, hasResponded: false, nodeSilentSince: null };

/** Whether the node responds; null when the server cannot be reached, which the WebSocket reports. */
async function probe(): Promise<boolean | null> {
  try {
    const { errors } = await fetchGraph(String(PROBE), {}, AbortSignal.timeout(PROBE_TIMEOUT_MS));
    return !errors.some((error) => problemOf(error) === 'node');
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? false : null;
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
      const isResponding = await probe();
      isProbing = false;
      // A head that has arrived meanwhile is newer than the result.
      if (sign !== lastSign.current || isResponding === null) return;
      if (isResponding) lastSign.current = Date.now();
      setFacts((earlier) => ({
        ...earlier,
        hasResponded: earlier.hasResponded || isResponding,
        nodeSilentSince: isResponding ? null : sign || openedAt,
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
      if (!facts.hasResponded || facts.nodeSilentSince !== null) change({ hasResponded: true, nodeSilentSince: null });
    },
    reportRetry: (delayMs: number) => change({ retryAt: Date.now() + delayMs }),
  };
}

/** Headers that the subgraphs read. A router sends none of the client's headers to subgraphs unless it is configured to. */
const FORWARDED = [
  'authorization',
  'x-api-key',
  'traceparent',
  'tracestate',
  'x-request-id',
  'x-graph-block',
  'x-graph-min-block',
  'x-graph-verify',
];

/** Longer than the operation timeout of a subgraph, within which it waits for the height of `x-graph-min-block`. */
const HEAD_TIMEOUT_MS = 15_000;

/** Returns the headers of a client that subgraphs receive. */
export const forwardedHeaders = (headers) =>
  Object.fromEntries(FORWARDED.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])));

/**
 * Adds `x-graph-block` with the hash of the head, unless the client sends that header, so that all subgraphs and replicas read one block.
 * Adds nothing if the head cannot be read: each subgraph then reads its own head.
 *
 * @param chainUrl the endpoint of the chain subgraph
 * @param headers the headers of one query; `x-graph-min-block` applies to the head
 */
export async function pinToHead(chainUrl, headers) {
  if (headers['x-graph-block']) return headers;
  const response = await fetch(chainUrl, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ block { hash } }' }),
    signal: AbortSignal.timeout(HEAD_TIMEOUT_MS),
  }).catch(() => undefined);
  const { data } = (await response?.json().catch(() => undefined)) ?? {};
  return data?.block ? { ...headers, 'x-graph-block': data.block.hash } : headers;
}

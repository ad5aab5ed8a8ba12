import type { Pool } from 'undici';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import type { FuzzRequest } from './requests.ts';

export interface FuzzResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Sends a request; rejects when the response is late or incomplete. The result of a WebSocket or an event stream has the form of a JSON response. */
export async function send(pool: Pool, url: string, { kind, method, path, headers, body }: FuzzRequest): Promise<FuzzResponse> {
  if (kind === 'WebSocket' || kind === 'mutated message') return sendMessage(url, kind, String(body));
  const response = await pool.request({
    method: method as 'GET',
    path,
    headers: { ...headers },
    body: body ?? null,
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  });
  const [type, text] = [String(response.headers['content-type'] ?? ''), await response.body.text()];
  const result = type.startsWith('text/event-stream') ? /^event: next\ndata: (.*)$/m.exec(text) : undefined;
  return {
    status: response.statusCode,
    ...(result === undefined ? { type, body: text } : { type: JSON_TEXT, body: result?.[1] ?? '' }),
  };
}

/** Sends one message over a connection of its own: the response is the first result, the close code, or the reply to a later ping. */
async function sendMessage(url: string, kind: FuzzRequest['kind'], text: string): Promise<FuzzResponse> {
  const socket = await RawSocket.connect(url, { handshakeTimeout: RESPONSE_TIMEOUT_MS });
  const timer = setTimeout(() => socket.ws.terminate(), RESPONSE_TIMEOUT_MS);
  socket.send(text);
  // A message that is still valid may ask for nothing.
  if (kind === 'mutated message') socket.send({ type: 'ping' });
  const found = await socket
    .waitForMessage(({ type }) => type === 'next' || type === 'error' || (type === 'pong' && kind === 'mutated message'))
    .catch(() => undefined);
  clearTimeout(timer);
  if (!found) return { status: (await socket.closed).code, type: 'close', body: '' };
  socket.close();
  const { type, payload } = found;
  return type === 'pong'
    ? { status: 200, type, body: '' }
    : { status: 200, type: JSON_TEXT, body: JSON.stringify(type === 'error' ? { errors: payload } : payload) };
}

const JSON_TEXT = 'application/json';

/** Longer than an operation may take. */
const RESPONSE_TIMEOUT_MS = 20_000;

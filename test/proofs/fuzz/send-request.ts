import { connect } from 'node:net';
import type { Pool } from 'undici';
import type { FuzzRequest } from './requests.ts';

export interface FuzzResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Sends a request; rejects when the response is late or incomplete. */
export async function send(pool: Pool, url: URL, { kind, method, path, headers, body }: FuzzRequest): Promise<FuzzResponse> {
  if (kind === 'broken HTTP') return sendRaw(url, body as Buffer);
  const response = await pool.request({
    method: method as 'GET',
    path,
    headers: { ...headers },
    body: body ?? null,
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  });
  return { status: response.statusCode, type: String(response.headers['content-type'] ?? ''), body: await response.body.text() };
}

/** Longer than an operation may take. */
const RESPONSE_TIMEOUT_MS = 20_000;

/** Writes bytes to a connection and ends it. Returns status 0 without a response, since the bytes need not be a request. */
function sendRaw({ hostname, port }: URL, bytes: Buffer): Promise<FuzzResponse> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.setTimeout(RESPONSE_TIMEOUT_MS, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(parseFirstResponse(text)));
  });
}

function parseFirstResponse(text: string): FuzzResponse {
  const [head = '', rest = ''] = text.split(/\r\n\r\n(.*)/s);
  const of = (pattern: RegExp) => pattern.exec(head)?.[1];
  return {
    status: Number(of(/^HTTP\/1\.1 (\d+)/) ?? 0),
    type: of(/^content-type: (.*?)$/im) ?? '',
    body: Buffer.from(rest)
      .subarray(0, Number(of(/^content-length: (\d+)/im) ?? 0))
      .toString(),
  };
}

import { connect } from 'node:net';
import type { Pool } from 'undici';
import type { FuzzRequest } from './requests.ts';

export interface FuzzResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Sends a request; rejects when there is no answer in time, or half of one. */
export async function send(pool: Pool, url: URL, { kind, method, path, headers, body }: FuzzRequest): Promise<FuzzResponse> {
  if (kind === 'broken HTTP') return sendRaw(url, body as Buffer);
  const answer = await pool.request({
    method: method as 'GET',
    path,
    headers: { ...headers },
    body: body ?? null,
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  });
  return { status: answer.statusCode, type: String(answer.headers['content-type'] ?? ''), body: await answer.body.text() };
}

/** Longer than an operation may take. */
const RESPONSE_TIMEOUT_MS = 20_000;

/** Writes bytes to a connection and hangs up. No answer is an answer, with status 0: what is sent need not be a request. */
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

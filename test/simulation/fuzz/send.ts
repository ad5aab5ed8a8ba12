import { connect } from 'node:net';
import type { Pool } from 'undici';
import type { Request } from './requests.ts';

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Sends a request; rejects when there is no answer in time, or half of one. */
export async function send(pool: Pool, url: URL, { kind, method, path, headers, body }: Request): Promise<Answer> {
  if (kind === 'broken HTTP') return sendRaw(url, body as Buffer);
  const answer = await pool.request({
    method: method as 'GET',
    path,
    headers: { ...headers },
    body: body ?? null,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return { status: answer.statusCode, type: String(answer.headers['content-type'] ?? ''), body: await answer.body.text() };
}

/** Longer than an operation may take. */
const PATIENCE_MS = 20_000;

/** Writes bytes to a connection and hangs up. No answer is an answer, with status 0: what is sent need not be a request. */
function sendRaw({ hostname, port }: URL, bytes: Buffer): Promise<Answer> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(firstAnswer(text)));
  });
}

function firstAnswer(text: string): Answer {
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

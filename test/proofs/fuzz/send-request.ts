import type { Pool } from 'undici';
import type { FuzzRequest } from './requests.ts';

export interface FuzzResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Sends a request; rejects when the response is late or incomplete. */
export async function send(pool: Pool, { method, path, headers, body }: FuzzRequest): Promise<FuzzResponse> {
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

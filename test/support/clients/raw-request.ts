import { type Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Connections to use instead of a new one; `onSocket` is called with the connection of the request. */
interface RawConnection {
  readonly agent?: Agent;
  readonly onSocket?: (socket: Socket) => void;
}

/** Sends exactly these headers; `fetch` would add others. Resolves with the whole response. */
export function rawRequest(
  url: string,
  { method = 'GET', headers = {}, body, agent, onSocket = () => {} }: RawRequest & RawConnection = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: agent ?? false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode!, headers: response.headers, body }), reject);
    });
    sent.once('socket', onSocket);
    sent.once('error', reject);
    sent.end(body);
  });
}

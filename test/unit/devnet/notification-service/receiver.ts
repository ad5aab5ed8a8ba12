import { createHmac } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { startTestServer } from '../../../support/test-server.ts';

/** A request to the receiver. */
export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly contentType: string | undefined;
  /** Whether the header has the signature of the raw body. */
  readonly isSigned: boolean;
  readonly body: any;
  /** The status of its response. */
  readonly status: number;
}

/** An HTTP receiver of notifications. */
export interface NotificationReceiver {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** The bodies that were accepted with status 200. */
  accepted(): ReceivedRequest['body'][];
  /** Resolves when the accepted bodies match. */
  until(condition: (accepted: ReceivedRequest['body'][]) => boolean): Promise<void>;
}

/** Starts a receiver that responds with these statuses, one for each request, and then with 200. Undefined closes the connection. */
export async function startReceiver(token: string, ...statuses: readonly (number | undefined)[]): Promise<NotificationReceiver> {
  const requests: ReceivedRequest[] = [];
  const events = new EventEmitter();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const status = requests.length < statuses.length ? statuses[requests.length] : 200;
    requests.push({
      method: request.method,
      contentType: request.headers['content-type'],
      isSigned: request.headers['x-svc-signature'] === createHmac('sha256', token).update(raw).digest('hex'),
      body: JSON.parse(raw.toString()),
      status: status ?? 0,
    });
    if (status === undefined) request.socket.destroy();
    else response.writeHead(status).end();
    events.emit('received');
  });
  const accepted = () => requests.filter(({ status }) => status === 200).map(({ body }) => body);
  const { url } = await startTestServer(server);
  return {
    url: `${url}/webhooks`,
    requests,
    accepted,
    async until(condition) {
      while (!condition(accepted())) await once(events, 'received');
    },
  };
}

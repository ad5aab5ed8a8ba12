import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { DevnetWebhook, DevnetWebhookReceiver } from '../description.ts';
import type { HostCheck } from '../service-server.ts';
import { closeServer, HOST_REJECTED_MESSAGE, LOOPBACK_ADDRESS, listenOnAddress } from '../service-server.ts';
import { createDeliveryLog } from './delivery-log.ts';

/** A webhook that the graph is to register for the embedded receiver, with the fields of its mutation. */
export interface WebhookRequest {
  readonly type: 'ADDRESS_ACTIVITY' | 'MINED_TRANSACTION' | 'GAS_PRICE';
  readonly addresses?: readonly string[];
  /** In gwei. */
  readonly gasPrice?: { readonly speed: 'AVERAGE'; readonly above: number };
}

/** A webhook that the graph has registered for the receiver, and the token that signs its deliveries. */
export interface RegisteredWebhook extends DevnetWebhook {
  readonly token: string;
}

export interface WebhookReceiver {
  readonly description: DevnetWebhookReceiver;
  readonly url: string;
  /** Application that owns the webhooks. */
  readonly app: string;
  /** The webhooks that the graph is to register. */
  readonly requests: readonly WebhookRequest[];
  /** Accepts the deliveries of a webhook, which replaces an accepted webhook with this id. */
  accept(webhook: RegisteredWebhook): void;
  stop(): Promise<void>;
}

export interface WebhookReceiverOptions {
  /** Application that owns the webhooks. */
  readonly app: string;
  /** Accounts whose activity and transactions are delivered. */
  readonly addresses: readonly string[];
  /** Checks the Host header of requests. */
  readonly acceptsHost: HostCheck;
}

const PATH = '/deliveries';
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * Starts a receiver of registered webhooks on loopback. POST accepts a delivery with a valid signature and responds 401 to any other; GET returns
 * the last deliveries, the newest first.
 */
export async function startWebhookReceiver({ app, addresses, acceptsHost }: WebhookReceiverOptions): Promise<WebhookReceiver> {
  const webhooks = new Map<string, RegisteredWebhook>();
  const deliveries = createDeliveryLog();

  const receive = (body: Buffer | undefined, { headers }: IncomingMessage): number => {
    if (body === undefined) return 413;
    const webhook = [...webhooks.values()].find(({ token }) => isSigned(body, headers['x-svc-signature'], token));
    const id = headers['webhook-id'];
    if (!webhook || typeof id !== 'string') return 401;
    deliveries.add({ id, webhookId: webhook.id, receivedAt: new Date().toISOString(), body: JSON.parse(body.toString()) });
    return 204;
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<ServerResponse> => {
    // Reads the body of a rejected request, too: on a connection with an unread body the response may be lost.
    const body = await readBody(request);
    if (!acceptsHost(request.headers.host)) return response.writeHead(421).end(HOST_REJECTED_MESSAGE);
    if (request.url !== PATH) return response.writeHead(404).end();
    if (request.method === 'POST') return response.writeHead(receive(body, request)).end();
    if (request.method !== 'GET') return response.writeHead(405, { allow: 'GET, POST' }).end();
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(deliveries.list()));
  };
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  const origin = `http://${await listenOnAddress(server, LOOPBACK_ADDRESS, 0)}`;

  const url = `${origin}${PATH}`;
  return {
    url,
    app,
    description: {
      url,
      app,
      get webhooks() {
        return [...webhooks.values()].map(({ token: _secret, ...webhook }) => webhook);
      },
    },
    requests: embeddedWebhooks(addresses),
    accept: (webhook) => void webhooks.set(webhook.id, webhook),
    stop: () => closeServer(server),
  };
}

/** Reads the body of a request; undefined if it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return bytes <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined;
}

/** The webhooks of the embedded receiver: the activity and the transactions of these accounts, and the gas price each minute. */
const embeddedWebhooks = (addresses: readonly string[]): readonly WebhookRequest[] => [
  { type: 'ADDRESS_ACTIVITY', addresses },
  { type: 'MINED_TRANSACTION', addresses },
  { type: 'GAS_PRICE', gasPrice: { speed: 'AVERAGE', above: 0 } },
];

/** Whether a header `X-Svc-Signature` is the HMAC-SHA256 of a body, keyed by the token, in hex. */
function isSigned(body: Buffer, signature: string | readonly string[] | undefined, token: string): boolean {
  const expected = Buffer.from(createHmac('sha256', token).update(body).digest('hex'));
  const actual = Buffer.from(typeof signature === 'string' ? signature : '');
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

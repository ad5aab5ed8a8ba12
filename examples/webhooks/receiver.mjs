// Receives the notifications of a registered webhook and verifies each signature:
//   AUTH_TOKEN=<authToken of createWebhook> node examples/webhooks/receiver.mjs [port]
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const { AUTH_TOKEN } = process.env;
if (!AUTH_TOKEN) {
  console.error('AUTH_TOKEN is not set. Pass the `authToken` of createWebhook.');
  process.exit(1);
}

const server = createServer(async (request, response) => {
  const body = await buffer(request).catch(() => undefined);
  if (!body) return; // The connection was closed.
  const expected = createHmac('sha256', AUTH_TOKEN).update(body).digest();
  const actual = Buffer.from(request.headers['x-svc-signature'] ?? '', 'hex');
  const isSigned = actual.length === expected.length && timingSafeEqual(actual, expected);
  response.writeHead(isSigned ? 204 : 401).end();
  // Retries and redeliveries of one notification have the same id.
  if (isSigned) console.log(`${request.headers['webhook-id']} ${body}`);
});
server.listen(process.argv[2] ?? 8080, '127.0.0.1', () => console.log(`listening on port ${server.address().port}`));

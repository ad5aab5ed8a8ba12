// Signs a webhook notification and sends it to a server:
//   node examples/webhooks/send.mjs [file] [--url http://127.0.0.1:4000/webhooks] [--token <auth token> [--app <application>]]
// The application of a token must be the `app` of the body: `--app shop` for a token of WEBHOOK_AUTH_TOKENS=shop=<auth token>.
// Without a token it uses the application and the auth token of the embedded network, which the same server publishes at /devnet.json.
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:4000/webhooks' },
    token: { type: 'string' },
    app: { type: 'string' },
  },
});
const { url } = values;
const file = positionals[0] ?? new URL('mined-transaction.json', import.meta.url);

/** Returns the application of the embedded network with its auth token. */
async function readDevnetApp() {
  const response = await fetch(new URL('/devnet.json', url));
  const service = response.ok ? (await response.json()).notificationService : undefined;
  if (!service) throw new Error(`${new URL(url).origin} has no embedded network that sends notifications; pass --token`);
  return service;
}

/** Returns the exact bytes to send and the token that signs them. */
async function prepare() {
  const text = await readFile(file, 'utf8');
  const { app, token } = values.token === undefined ? await readDevnetApp() : values;
  if (app === undefined) return { body: text, token };
  return { body: JSON.stringify({ ...JSON.parse(text), app }), token };
}

try {
  const { body, token } = await prepare();
  const signature = createHmac('sha256', token).update(body).digest('hex');
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-svc-signature': signature },
    body,
  });
  console.log(`${response.status} ${await response.text()}`);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.error(error.cause?.message ?? error.message);
  process.exitCode = 1;
}

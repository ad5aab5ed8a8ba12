import { createHmac, randomBytes } from 'node:crypto';
import { waitUntil } from '../wait-until.ts';
import { BODIES } from './bodies.ts';

/** Signs a body as the service description states, without the code of the server. */
export const sign = (token: string, body: string | Buffer): string => createHmac('sha256', token).update(body).digest('hex');

/** A mined transaction with a random hash, as JSON. */
export const randomBody = (app = 'shop'): string =>
  JSON.stringify({
    ...BODIES.MINED_TRANSACTION,
    app,
    fullTransaction: { ...BODIES.MINED_TRANSACTION.fullTransaction, hash: `0x${randomBytes(32).toString('hex')}` },
  });

/** Sends a signed body to the receiver of a server. */
export const sendWebhook = (url: string, token: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-svc-signature': sign(token, body), ...headers },
    body,
  });

const isStoring = async (readiness: Response) => readiness.ok && !(await readiness.text()).includes('STORE_UNAVAILABLE');

/** Resolves when a server has prepared its database. A check that is late says nothing about the database. */
export const waitUntilStoring = (url: string): Promise<void> =>
  waitUntil(async () => isStoring(await fetch(`${url}/readyz`)), 'the database is prepared');

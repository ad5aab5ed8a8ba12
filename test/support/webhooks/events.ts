import { createHash } from 'node:crypto';
import { eventId } from '../../../src/domains/webhooks/event-id.ts';
import type { NewWebhookEvent, Notification } from '../../../src/domains/webhooks/model.ts';
import { decodeNotification } from '../../../src/domains/webhooks/receiver/notification.ts';
import { BODIES } from './bodies.ts';

/** Decodes a body that names its application. */
export function notificationOf(body: unknown): Notification {
  const { app, ...decoded } = decodeNotification(body);
  if (app === null) throw new Error('the body names no application');
  return { ...decoded, app };
}

/** The event of a notification, as the receiver creates it. */
export const toNewEvent = (notification: Notification, body: object = notification): NewWebhookEvent => ({
  ...notification,
  id: eventId(notification),
  bodyHash: createHash('sha256').update(notification.app).update(JSON.stringify(body)).digest(),
});

export interface NewEventOptions {
  readonly app?: string;
  readonly blockNumber?: number;
}

/** A mined transaction whose hash has the index. Equal indexes make one event of an application. */
export function newEventOf(index: number, { app = 'shop', blockNumber = 16 }: NewEventOptions = {}): NewWebhookEvent {
  const hash = `0x${index.toString(16).padStart(64, '0')}`;
  const { MINED_TRANSACTION: body } = BODIES;
  return toNewEvent(notificationOf({ ...body, app, fullTransaction: { ...body.fullTransaction, hash, blockNumber } }));
}

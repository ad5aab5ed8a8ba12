import type { Data } from '../../../ethereum/hex.ts';
import type { EventContent } from '../model.ts';
import type { WebhookRegistration } from '../registrations/model.ts';

/** A registration as its notifications need it. */
export type NotifiedRegistration = Pick<WebhookRegistration, 'id' | 'confirmations'>;

/** Registrations of one application and type that contain the same ones of the addresses that were looked up. */
export interface RegistrationGroup extends Pick<WebhookRegistration, 'app' | 'type'> {
  readonly registrations: readonly NotifiedRegistration[];
  readonly matched: readonly Data[];
}

/** Registrations that are notified, with the part of the event that is about their addresses. */
export interface NotificationTarget {
  readonly registrations: readonly NotifiedRegistration[];
  readonly content: EventContent;
}

/** One event of an application, and its registrations that are notified of it. */
export interface DerivedNotification {
  readonly app: string;
  /** ISO 8601; null for an activity. */
  readonly timestamp: string | null;
  readonly content: EventContent;
  /** Position among the notifications of one block that have their contents in common; 0 for the first, or the only one. */
  readonly part: number;
  readonly targets: readonly NotificationTarget[];
}

/** The notification of an error of this server, in place of notifications of a type, or null for all, that are not sent. */
export const errorNotification = (
  { app, timestamp }: Pick<DerivedNotification, 'app' | 'timestamp'>,
  webhookType: string | null,
  error: string,
  registrations: readonly NotifiedRegistration[] = [],
): DerivedNotification => {
  const content = { type: 'CAPACITY_EXCEEDED', error, webhookType } as const;
  return { app, timestamp, content, part: 0, targets: registrations.length > 0 ? [{ registrations, content }] : [] };
};

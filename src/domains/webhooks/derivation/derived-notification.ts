import type { AddressActivity, EventContent } from '../model.ts';
import type { ActiveGroup } from '../registrations/active-registrations.ts';

/** The fields of a registration that its notifications need. */
export type NotifiedRegistration = ActiveGroup['registrations'][number];

/** Registrations that are notified, with the part of the event that concerns their addresses. */
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
  /** Position among the notifications of one block with equal contents; 0 for the first or only notification. */
  readonly part: number;
  readonly targets: readonly NotificationTarget[];
}

/**
 * The notification of an error of this server. It replaces the notifications of a type, or of all types for null, that
 * the server does not send.
 */
export const errorNotification = (
  { app, timestamp }: Pick<DerivedNotification, 'app' | 'timestamp'>,
  webhookType: string | null,
  error: string,
  registrations: readonly NotifiedRegistration[] = [],
): DerivedNotification => {
  const content = { type: 'CAPACITY_EXCEEDED', error, webhookType } as const;
  return { app, timestamp, content, part: 0, targets: registrations.length > 0 ? [{ registrations, content }] : [] };
};

/** Bytes of a transfer as JSON, without the name of its asset. */
const ACTIVITY_BYTES = 520;
/** Bytes of the constant part of a body. */
const BASE_BYTES = 2_048;
/** Number of bytes that costs as much work as storing a row. */
const ROW_BYTES = 1_024;

/** The size of a transfer in a body, at most a few bytes too high. */
export const activityBytes = ({ asset }: Pick<AddressActivity, 'asset'>): number =>
  ACTIVITY_BYTES + (asset === null ? 0 : Buffer.byteLength(JSON.stringify(asset)));

/** The size of the body of a content, at most 2 KiB too high. */
export function contentBytes(content: EventContent): number {
  switch (content.type) {
    case 'ADDRESS_ACTIVITY':
      return content.activity.reduce((bytes, activity) => bytes + activityBytes(activity), BASE_BYTES);
    case 'MINED_TRANSACTION':
    case 'DROPPED_TRANSACTION':
      return BASE_BYTES + content.fullTransaction.inputData.length;
    default:
      return BASE_BYTES;
  }
}

/** The contents of the bodies of a notification, each once. */
export const bodyContents = ({ targets }: DerivedNotification): readonly EventContent[] => [
  ...new Set(targets.map(({ content }) => content)),
];

/** The work of storing a notification, in bytes: of the event and the bodies, and of the rows of the event and the deliveries. */
export const storageBytes = (notification: DerivedNotification): number =>
  [notification.content, ...bodyContents(notification)].reduce((sum, content) => sum + contentBytes(content), 0) +
  notification.targets.reduce((sum, { registrations }) => sum + registrations.length * ROW_BYTES, ROW_BYTES);

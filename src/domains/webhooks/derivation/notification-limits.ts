import type { EventContent } from '../model.ts';
import {
  type DerivedNotification,
  errorNotification,
  type NotificationTarget,
  type NotifiedRegistration,
} from './derived-notification.ts';

/** Transfers of one notification; further ones are in further notifications. */
export const MAX_ACTIVITIES = 500;
/** Bytes of one body: a transaction of 128 KiB, which is the maximum of most nodes, has 256 KiB as hex. */
export const MAX_BODY_BYTES = 512 * 1024;

/** Bytes of the bodies of one application and block. */
const MAX_APP_BYTES = 16 * 1024 * 1024;
/** Deliveries of one application and block. */
const MAX_APP_DELIVERIES = 10_000;

/** Bytes of a transfer as JSON, without the name of its asset. */
const ACTIVITY_BYTES = 520;
/** Bytes of a body without what varies. */
const BASE_BYTES = 2_048;

/** The size of a transfer in a body, at most a few bytes too high. */
export const activityBytes = ({ asset }: { readonly asset: string | null }): number =>
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

/** The types of a block's notifications that are not all delivered, with the registrations that miss some. */
type Unsent = Map<string, Map<string, NotifiedRegistration>>;

/**
 * Limits what one application receives of a block: above MAX_APP_BYTES and MAX_APP_DELIVERIES, events are stored without deliveries, and a
 * last notification for each type reports it.
 */
export async function* limitDeliveries(
  notifications: AsyncIterable<DerivedNotification>,
  about: { readonly app: string; readonly height: number; readonly timestamp: string },
): AsyncGenerator<DerivedNotification> {
  const unsent: Unsent = new Map();
  let [bytes, deliveries] = [0, 0];
  const isPermitted = ({ content, registrations }: NotificationTarget): boolean => {
    const added = contentBytes(content);
    if (bytes + added <= MAX_APP_BYTES && deliveries + registrations.length <= MAX_APP_DELIVERIES) {
      bytes += added;
      deliveries += registrations.length;
      return true;
    }
    const missing = unsent.get(content.type) ?? new Map<string, NotifiedRegistration>();
    unsent.set(content.type, missing);
    for (const registration of registrations) missing.set(registration.id, registration);
    return false;
  };
  for await (const notification of notifications) yield { ...notification, targets: notification.targets.filter(isPermitted) };
  const limits = `${MAX_APP_BYTES / 1024 / 1024} MiB or ${MAX_APP_DELIVERIES} deliveries for each application and block`;
  for (const [type, missing] of unsent)
    yield errorNotification(
      about,
      type,
      `The notifications of block ${about.height} exceed the limit of ${limits}. Some are not sent; the events in the graph are complete.`,
      [...missing.values()],
    );
}

import { compareIntegers, type Quantity } from '../../../ethereum/hex.ts';
import type { EventContent, NewWebhookEvent, StoredWebhookEvent, WebhookEventHeader, WebhookType } from '../model.ts';

/** A row of the table of events without its content. PostgreSQL returns a bigint as text. */
export interface EventHeaderRow {
  readonly sequence: string;
  readonly id: string;
  readonly app: string;
  readonly type: WebhookType;
  readonly network: string;
  readonly timestamp: Date | null;
  readonly received_at: Date;
  readonly removed: boolean;
  readonly content_bytes: number;
}

export interface EventRow extends EventHeaderRow {
  readonly content: EventContent;
}

export const HEADER_COLUMNS = 'sequence, id, app, type, network, timestamp, received_at, removed, content_bytes';
export const EVENT_COLUMNS = `${HEADER_COLUMNS}, content`;

const commonFields = (row: EventHeaderRow) => ({
  sequence: BigInt(row.sequence),
  id: row.id,
  app: row.app,
  network: row.network,
  timestamp: row.timestamp?.toISOString() ?? null,
  receivedAt: row.received_at.toISOString(),
  removed: row.removed,
});

export const toEventHeader = (row: EventHeaderRow): WebhookEventHeader => ({
  ...commonFields(row),
  type: row.type,
  contentBytes: row.content_bytes,
});

export const toStoredEvent = (row: EventRow): StoredWebhookEvent => ({ ...commonFields(row), content: row.content });

/** The values of new rows, one array for each column. */
export const columnsOf = (events: readonly Omit<NewWebhookEvent, 'bodyHash'>[], receivedAt: Date): readonly unknown[] => [
  events.map(({ id }) => id),
  events.map(({ app }) => app),
  events.map(({ content }) => content.type),
  events.map(({ network }) => network),
  events.map(({ timestamp }) => timestamp),
  receivedAt,
  events.map(({ content }) => highestBlockOf(content)),
  events.map(({ content }) => JSON.stringify(content)),
];

/** PostgreSQL has no unsigned integers; no chain reaches this height. */
const MAX_HEIGHT = 2n ** 63n - 1n;

/** The highest block of an event, as text; null where it has none. */
function highestBlockOf(content: EventContent): string | null {
  const highest = [...heightsOf(content)].sort(compareIntegers).at(-1);
  return highest === undefined ? null : clampHeight(highest);
}

/** A height as PostgreSQL can store it. */
export const clampHeight = (height: Quantity): string => String(BigInt(height) > MAX_HEIGHT ? MAX_HEIGHT : BigInt(height));

function heightsOf(content: EventContent): readonly string[] {
  switch (content.type) {
    case 'MINED_TRANSACTION':
      return content.fullTransaction.blockNumber === null ? [] : [content.fullTransaction.blockNumber];
    case 'ADDRESS_ACTIVITY':
      return content.activity.map(({ blockNumber }) => blockNumber);
    default:
      return [];
  }
}

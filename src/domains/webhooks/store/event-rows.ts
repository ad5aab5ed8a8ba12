import { compareIntegers, type Quantity } from '../../../ethereum/hex.ts';
import type { EventContent, NewWebhookEvent, StoredWebhookEvent } from '../model.ts';

/** A row of the table of events. PostgreSQL returns a bigint as text. */
export interface EventRow {
  readonly sequence: string;
  readonly id: string;
  readonly app: string;
  readonly network: string;
  readonly timestamp: Date | null;
  readonly received_at: Date;
  readonly removed: boolean;
  readonly content: EventContent;
}

export const EVENT_COLUMNS = 'sequence, id, app, network, timestamp, received_at, removed, content';

export const toStoredEvent = (row: EventRow): StoredWebhookEvent => ({
  sequence: BigInt(row.sequence),
  id: row.id,
  app: row.app,
  network: row.network,
  timestamp: row.timestamp?.toISOString() ?? null,
  receivedAt: row.received_at.toISOString(),
  removed: row.removed,
  content: row.content,
});

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

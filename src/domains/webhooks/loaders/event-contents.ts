import type { OperationBudget } from '../../../lib/operation-budget.ts';
import type { EventContent, WebhookEventHeader } from '../model.ts';
import type { EventStore } from '../store/event-store.ts';
import { storeUnavailableError } from '../store/statements.ts';

/** Bytes of contents that one statement reads, unless one event has more: parsing them takes about ten milliseconds. */
const MAX_READ_BYTES = 1024 * 1024;

interface WaitingContent {
  readonly event: WebhookEventHeader;
  readonly content: Promise<EventContent>;
  readonly resolve: (content: EventContent) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates the reader of contents for one operation. Events that are requested in one tick are read together, one statement after the other, and
 * each content is passed on before the next statement. Nothing is cached: a page of contents can be large.
 */
export function contentReader(store: EventStore, budget: OperationBudget | undefined) {
  let waiting = new Map<string, WaitingContent>();

  const read = async (group: readonly WaitingContent[]): Promise<void> => {
    try {
      const contents = await store.contentsOf(group.map(({ event }) => event.id));
      budget?.beginTurn();
      for (const { event, resolve, reject } of group) {
        const json = contents.get(event.id);
        if (json === undefined) reject(storeUnavailableError(new Error('the retention has deleted the event')));
        else resolve(JSON.parse(json));
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };
  const readAll = async (): Promise<void> => {
    const all = [...waiting.values()];
    waiting = new Map();
    // Removed from the list, so that a content that is written can be garbage-collected.
    while (all.length > 0) await read(all.splice(0, groupSizeOf(all)));
  };

  return (event: WebhookEventHeader): Promise<EventContent> => {
    const other = waiting.get(event.id);
    if (other) return other.content;
    if (waiting.size === 0) setImmediate(() => void readAll());
    let settle!: Pick<WaitingContent, 'resolve' | 'reject'>;
    const content = new Promise<EventContent>((resolve, reject) => {
      settle = { resolve, reject };
    });
    waiting.set(event.id, { event, content, ...settle });
    return content;
  };
}

/** The number of events at the start of a list whose contents one statement reads: at least one. */
function groupSizeOf(waiting: readonly WaitingContent[]): number {
  let bytes = 0;
  const end = waiting.findIndex(({ event }, i) => {
    bytes += event.contentBytes;
    return i > 0 && bytes > MAX_READ_BYTES;
  });
  return end === -1 ? waiting.length : end;
}

import type { AddressActivity, StoredAddressActivity } from '../model.ts';
import type { ActiveGroup } from '../registrations/active-registrations.ts';
import { transferKey, uncountReceived } from '../store/activity-counts.ts';
import type { ChainQuery } from '../store/chain-statements.ts';
import { EVENT_COLUMNS, restrictTo } from '../store/event-writes.ts';
import { partiesOf } from './block-facts.ts';
import type { DerivedNotification } from './derived-notification.ts';
import { removeEvents } from './stored-notifications.ts';

/** The received activities of a network. Other networks have blocks of the same heights. */
const RECEIVED = "source = 'received' and type = 'ADDRESS_ACTIVITY' and network = $1";
/** Those whose highest block has a height. */
const AT_HEIGHT = `${RECEIVED} and highest_block = $2 and chain_id = $3`;

/** Maximum number of received events that one transaction removes and one statement reads: some megabytes. */
const MAX_EVENTS = 10;

/**
 * Removes some received activities of a removed block. Returns the number of removed activities. The caller must hold
 * the lock of inserts.
 */
export async function removeReceivedActivity(query: ChainQuery, network: string, height: number): Promise<number> {
  const selection = `select sequence from webhook_events where ${AT_HEIGHT} and not removed order by sequence limit ${MAX_EVENTS}`;
  const events = await removeEvents(query, `sequence in (${selection})`, [network, height, query.chainId]);
  await uncountReceived(query, events);
  return events.length;
}

/** The applications with received activities of a removed block of this height, which the block that replaces it may have, too. */
export async function removedActivityApps(query: ChainQuery, network: string, height: number): Promise<readonly string[]> {
  const statement = `select distinct app from webhook_events where ${AT_HEIGHT} and removed`;
  return (await query<{ app: string }>(statement, [network, height, query.chainId])).map(({ app }) => app);
}

/** Whether received activities of removed blocks, or of other blocks, exist above one height and up to another. */
export async function hasReceivedActivity(query: ChainQuery, network: string, above: number, upTo: number, removed: boolean) {
  const statement = `select 1 from webhook_events where ${RECEIVED} and chain_id = $2
     and highest_block > $3 and highest_block <= $4 and removed = $5 limit 1`;
  return (await query(statement, [network, query.chainId, above, upTo, removed])).length > 0;
}

/**
 * Yields the received transfers of a removed block that the replacing block contains, too, and that concern no
 * registration of their application: the service names only the height, and may not send an equal body again. Reads the
 * transfers of one application, or of all.
 */
export async function* returnedActivity(
  query: ChainQuery,
  network: string,
  { height, transfers }: { readonly height: number; readonly transfers: readonly AddressActivity[] },
  { groups, app }: { readonly groups: readonly ActiveGroup[]; readonly app: string | undefined },
): AsyncGenerator<DerivedNotification> {
  const remaining = new Map<string, Map<string, number>>();
  let returned = 0;
  for (let after = 0; ; ) {
    const rows = await query<StoredAddressActivity>(
      `select ${EVENT_COLUMNS} from webhook_events where ${AT_HEIGHT} and removed and sequence > $4 and ($5::text is null or app = $5)
       order by webhook_events.sequence limit ${MAX_EVENTS}`,
      [network, height, query.chainId, after, app ?? null],
    );
    if (rows.length === 0) return;
    after = rows.at(-1)!.sequence;
    for (const event of rows) {
      const keys = remaining.get(event.app) ?? underivedKeys(transfers, groups, event.app);
      remaining.set(event.app, keys);
      const positions = event.content.activity.flatMap((activity, i) => (take(keys, transferKey(activity)) ? [i] : []));
      const content = restrictTo(event.content, positions);
      returned += 1;
      // Separate parts, since a derived notification can have an equal content.
      if (content) yield { app: event.app, timestamp: event.timestamp, content, part: -returned, targets: [] };
    }
  }
}

/** The number of transfers by key that concern no ADDRESS_ACTIVITY registration of an application. */
function underivedKeys(transfers: readonly AddressActivity[], groups: readonly ActiveGroup[], app: string): Map<string, number> {
  const own = groups.filter((group) => group.app === app && group.type === 'ADDRESS_ACTIVITY');
  const derived = new Set(own.flatMap(({ matched }) => matched));
  const keys = new Map<string, number>();
  for (const transfer of transfers) {
    if (partiesOf(transfer).some((address) => derived.has(address))) continue;
    const key = transferKey(transfer);
    keys.set(key, (keys.get(key) ?? 0) + 1);
  }
  return keys;
}

/** Takes a transfer with a key. Returns false if none is left. */
function take(keys: Map<string, number>, key: string): boolean {
  const count = keys.get(key) ?? 0;
  keys.set(key, count - 1);
  return count > 0;
}

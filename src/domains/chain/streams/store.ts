import { isoTime, isStorable, type Statements } from '../../../database/statements.ts';
import { type Quantity, quantityOf, toData } from '../../../ethereum/hex.ts';
import type { Stream } from '../../../generated/chain.ts';
import { GraphError } from '../../../lib/errors.ts';
import { decodeLogCursor } from '../log/cursor.ts';
import type { StreamStart } from '../subscriptions/past.ts';

/** The subscriptions with named positions. The pages of `logPages` have the cursors of `logs`. */
export type StreamKind = 'logs' | 'newHeads';

/** Milliseconds for which a subscription keeps a stream without renewing its lease: another one then takes the stream over. */
export const LEASE_MS = 8_000;

const MAX_NAME_CHARS = 200;

type StreamRow = Omit<Stream, 'fromBlock'> & { readonly fromBlock: string | null };

const COLUMNS = `name, subscription, chain_id as "chainId", cursor, from_block as "fromBlock", coalesce(lease_until > now(), false) as "isActive",
  ${isoTime('acknowledged_at')} as "acknowledgedAt", ${isoTime('created_at')} as "createdAt"`;
const LEASE = `now() + interval '${LEASE_MS} milliseconds'`;

const toStream = ({ fromBlock, ...row }: StreamRow): Stream => ({
  ...row,
  fromBlock: fromBlock && quantityOf(BigInt(fromBlock)),
});

/** Throws BAD_USER_INPUT for a name that cannot be stored. */
function checkName(name: string): void {
  if (name.length > 0 && name.length <= MAX_NAME_CHARS && isStorable(name)) return;
  throw new GraphError('BAD_USER_INPUT', `Invalid name of a stream. Pass 1 to ${MAX_NAME_CHARS} characters without U+0000.`);
}

/** The subscription to which a cursor belongs. Throws BAD_USER_INPUT for an invalid one. */
function kindOf(cursor: string): StreamKind {
  if (toData(cursor, 32) !== undefined) return 'newHeads';
  decodeLogCursor(cursor);
  return 'logs';
}

/** The named positions of applications, in the table `subscription_streams`. All functions reject with STORE_UNAVAILABLE when the database does not respond. */
export function createStreamStore({ query }: Pick<Statements, 'query'>, maxStreams: number, chainId?: Quantity) {
  const find = async (app: string, name: string): Promise<Stream | undefined> => {
    const [row] = await query<StreamRow>(`select ${COLUMNS} from subscription_streams where app = $1 and name = $2`, [app, name]);
    return row && toStream(row);
  };

  return {
    /**
     * Leases a stream to a holder, and creates it at `start` if it does not exist; if `start` is an error, it rejects with that. Resolves with the
     * position to start from; undefined while another holder has the lease. Rejects with BAD_USER_INPUT for a stream of another subscription or
     * chain, and with TOO_MANY_STREAMS.
     */
    async claim(
      app: string,
      name: string,
      kind: StreamKind,
      holder: string,
      start: StreamStart | GraphError,
    ): Promise<StreamStart | undefined> {
      checkName(name);
      // With an error as the start, the limit is 0: no stream is created.
      const [{ after, fromBlock }, limit]: [StreamStart, number] = start instanceof GraphError ? [{}, 0] : [start, maxStreams];
      const [claimed] = await query<Pick<StreamRow, 'cursor' | 'fromBlock'>>(
        `insert into subscription_streams as stream (app, name, subscription, cursor, from_block, holder, lease_until, chain_id)
         select $1, $2, $3, $4, $5, $6, ${LEASE}, $8
         where exists (select from subscription_streams where app = $1 and name = $2)
           or (select count(*) from subscription_streams where app = $1) < $7
         on conflict (app, name) do update set holder = excluded.holder, lease_until = excluded.lease_until, used_at = now()
           where stream.subscription = excluded.subscription and stream.chain_id is not distinct from excluded.chain_id and coalesce(stream.lease_until <= now(), true)
         returning cursor, from_block as "fromBlock"`,
        [app, name, kind, after ?? null, fromBlock ? BigInt(fromBlock) : null, holder, limit, chainId],
      );
      if (claimed) return { after: claimed.cursor, fromBlock: claimed.fromBlock && quantityOf(BigInt(claimed.fromBlock)) };
      const existing = await find(app, name);
      if (!existing && start instanceof GraphError) throw start;
      if (!existing) {
        const message = `The application has ${maxStreams} streams. Delete one, or use one again.`;
        throw new GraphError('TOO_MANY_STREAMS', message, { limit: maxStreams, setting: 'MAX_STREAMS' });
      }
      if (existing.subscription === kind && existing.chainId === (chainId ?? null)) return undefined;
      const chain = existing.chainId ? `chain ${Number(existing.chainId)}` : 'the default chain';
      throw new GraphError(
        'BAD_USER_INPUT',
        `The stream belongs to \`${existing.subscription}\` of ${chain}. Pass another name.`,
      );
    },

    /** Extends the leases of holders. Resolves with the holders that still have their streams. */
    async renew(holders: readonly string[]): Promise<ReadonlySet<string>> {
      const rows = await query<{ holder: string }>(
        `update subscription_streams set lease_until = ${LEASE}, used_at = now() where holder = any($1::text[]) returning holder`,
        [holders],
      );
      return new Set(rows.map(({ holder }) => holder));
    },

    /** Ends a lease. */
    release: (holder: string) =>
      query('update subscription_streams set holder = null, lease_until = null where holder = $1', [holder]),

    /** The streams of an application by name. */
    list: async (app: string): Promise<readonly Stream[]> =>
      (await query<StreamRow>(`select ${COLUMNS} from subscription_streams where app = $1 order by name`, [app])).map(toStream),

    /** Stores the position of a stream. Rejects with STREAM_NOT_FOUND and BAD_USER_INPUT. */
    async acknowledge(app: string, name: string, cursor: string): Promise<Stream> {
      checkName(name);
      const kind = kindOf(cursor);
      const [row] = await query<StreamRow>(
        `update subscription_streams set cursor = $3, acknowledged_at = now(), used_at = now()
         where app = $1 and name = $2 and subscription = $4 returning ${COLUMNS}`,
        [app, name, cursor, kind],
      );
      if (row) return toStream(row);
      const existing = await find(app, name);
      if (existing) throw new GraphError('BAD_USER_INPUT', `The cursor is not one of \`${existing.subscription}\`.`);
      throw new GraphError('STREAM_NOT_FOUND', 'The caller has no stream with this name. A subscription creates it.');
    },

    /** Deletes a stream. Resolves with whether it existed. */
    async delete(app: string, name: string): Promise<boolean> {
      checkName(name);
      return (
        (await query('delete from subscription_streams where app = $1 and name = $2 returning name', [app, name])).length > 0
      );
    },

    /** Deletes the streams that no subscription and no acknowledgement has used for this number of days. */
    deleteExpired: (days: number) =>
      query(
        `delete from subscription_streams where used_at < now() - $1 * interval '1 day' and coalesce(lease_until <= now(), true)`,
        [days],
      ),
  };
}

export type StreamStore = ReturnType<typeof createStreamStore>;

import type { ClientConnection } from '../clients/connections.ts';

/** What `DeliveredLogs` needs of a log. */
export const LOG_FIELDS = 'cursor removed blockHash index data topics';

interface DeliveredLog {
  readonly cursor: string;
  readonly removed: boolean;
  readonly blockHash: string;
  readonly index: string;
  /** State at the head: it may differ between an addition and its removal. */
  readonly account?: unknown;
}

interface SubscriptionRequest {
  readonly query: string;
  readonly variables: { readonly after: string };
}

/** A client that resumes after its cursor and notes each event with errors, or without a value that it selects. */
abstract class DeliveredEvents<Event extends object> {
  readonly counts = { added: 0, removed: 0, resumptions: 0 };
  readonly flaws: string[] = [];
  readonly #connection: ClientConnection;
  readonly #query: string;

  constructor(connection: ClientConnection, query: string) {
    this.#connection = connection;
    this.#query = query;
  }

  /** The cursor of the last event. */
  protected abstract readonly cursor: string;
  protected abstract apply(event: Event): void;

  /** Consumes events until the connection is closed. */
  async run(): Promise<void> {
    while (!this.#connection.isClosed) {
      try {
        const request: SubscriptionRequest = { query: this.#query, variables: { after: this.cursor } };
        for await (const { data, errors } of this.#connection.iterate(request as never)) this.#check(data, errors);
      } catch (error) {
        if (Array.isArray(error)) this.flaws.push(`ended: ${JSON.stringify(error)}`);
      }
      this.counts.resumptions++;
      await new Promise(setImmediate);
    }
  }

  #check(data: object | null, errors: readonly unknown[] | undefined): void {
    if (errors) this.flaws.push(`errors: ${JSON.stringify(errors)}`);
    if (!data) return;
    const [event] = Object.values(data) as Event[];
    if (JSON.stringify(event).includes(':null')) this.flaws.push(`missing values: ${JSON.stringify(event)}`);
    this.apply(event!);
  }
}

const keyOf = ({ blockHash, index }: Pick<DeliveredLog, 'blockHash' | 'index'>): string => `${blockHash} ${Number(index)}`;

/** A client of `logs`: an addition must be new, and a removal must have the values of the last log that the client has. */
export class DeliveredLogs extends DeliveredEvents<DeliveredLog> {
  protected cursor: string;
  readonly #logs: DeliveredLog[] = [];
  /** The logs that the client has read with a query. */
  readonly #earlier: ReadonlySet<string>;

  constructor(connection: ClientConnection, query: string, earlier: readonly DeliveredLog[]) {
    super(connection, query);
    this.cursor = earlier.at(-1)!.cursor;
    this.#earlier = new Set(earlier.map(keyOf));
  }

  protected apply(log: DeliveredLog): void {
    this.cursor = log.cursor;
    if (log.removed) {
      this.counts.removed++;
      const last = this.#logs.pop();
      if (!last || valuesOf(last) !== valuesOf(log))
        this.flaws.push(`removed ${valuesOf(log)}, and the last is ${last && valuesOf(last)}`);
      return;
    }
    this.counts.added++;
    if (this.#earlier.has(keyOf(log)) || this.#logs.some((known) => keyOf(known) === keyOf(log)))
      this.flaws.push(`twice: ${keyOf(log)}`);
    this.#logs.push(log);
  }

  /** Whether it has exactly these logs. */
  has(canonical: readonly { readonly blockHash: string; readonly logIndex: string }[]): boolean {
    const expected = canonical
      .map(({ blockHash, logIndex }) => keyOf({ blockHash, index: logIndex }))
      .filter((key) => !this.#earlier.has(key));
    return expected.join() === this.#logs.map(keyOf).join();
  }
}

const valuesOf = ({ cursor, removed, account, ...values }: DeliveredLog): string => JSON.stringify(values);

/** A client of `newHeads`: each head must follow one that the client has. */
export class DeliveredHeads extends DeliveredEvents<{ readonly hash: string; readonly parentHash: string }> {
  #hashes: string[];

  constructor(connection: ClientConnection, selection: string, after: string) {
    super(connection, `subscription ($after: Bytes32) { newHeads(after: $after) { hash parentHash ${selection} } }`);
    this.#hashes = [after];
  }

  /** Hash of the last head. */
  get last(): string {
    return this.#hashes.at(-1)!;
  }

  protected get cursor(): string {
    return this.last;
  }

  protected apply({ hash, parentHash }: { readonly hash: string; readonly parentHash: string }): void {
    this.counts.added++;
    const parent = this.#hashes.lastIndexOf(parentHash);
    if (parent < 0) this.flaws.push(`head ${hash} does not follow a head that was delivered`);
    if (this.last === hash) this.flaws.push(`head ${hash} twice`);
    this.#hashes = [...this.#hashes.slice(0, parent + 1), hash];
  }
}

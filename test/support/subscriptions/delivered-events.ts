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

const keyOf = ({ blockHash, index }: Pick<DeliveredLog, 'blockHash' | 'index'>): string => `${blockHash} ${Number(index)}`;

/**
 * A client of `logs` that resumes after its cursor and notes flaws: an event with errors or without a value that it selects, an addition
 * that is not new, a removal with other values than those of the last log that the client has.
 */
export class DeliveredLogs {
  readonly counts = { added: 0, removed: 0, resumptions: 0 };
  readonly flaws: string[] = [];
  readonly #connection: ClientConnection;
  readonly #query: string;
  #cursor: string;
  readonly #logs: DeliveredLog[] = [];
  /** The logs that the client has read with a query. */
  readonly #earlier: ReadonlySet<string>;

  constructor(connection: ClientConnection, query: string, earlier: readonly DeliveredLog[]) {
    this.#connection = connection;
    this.#query = query;
    this.#cursor = earlier.at(-1)!.cursor;
    this.#earlier = new Set(earlier.map(keyOf));
  }

  /** Consumes events until the connection is closed. */
  async run(): Promise<void> {
    while (!this.#connection.isClosed) {
      try {
        const request = { query: this.#query, variables: { after: this.#cursor } };
        for await (const { data, errors } of this.#connection.iterate(request)) {
          if (errors) this.flaws.push(`errors: ${JSON.stringify(errors)}`);
          if (data) this.#apply(data.logs);
        }
      } catch (error) {
        if (Array.isArray(error)) this.flaws.push(`ended: ${JSON.stringify(error)}`);
      }
      this.counts.resumptions++;
      await new Promise(setImmediate);
    }
  }

  #apply(log: DeliveredLog): void {
    if (JSON.stringify(log).includes(':null')) this.flaws.push(`missing values: ${JSON.stringify(log)}`);
    this.#cursor = log.cursor;
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

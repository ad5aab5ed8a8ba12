import { createDatabase, type Database } from '../../../src/domains/webhooks/store/database.ts';
import { EventStore } from '../../../src/domains/webhooks/store/event-store.ts';
import { untilTestsEnd } from '../cleanups.ts';
import { log } from '../silent-log.ts';

/** Stores on one database, each with its own connections, like several servers. */
export interface TestStores {
  create(): EventStore;
  /** The connections of a store. */
  databaseOf(store: EventStore): Database;
}

export function createTestStores(url: string): TestStores {
  const databases = new Map<EventStore, Database>();
  return {
    create() {
      const database = untilTestsEnd(createDatabase({ url, log }));
      const store = new EventStore(database);
      databases.set(store, database);
      return store;
    },
    databaseOf: (store) => databases.get(store)!,
  };
}

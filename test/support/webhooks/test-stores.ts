import { createDatabase, type Database } from '../../../src/database/database.ts';
import { EventStore } from '../../../src/domains/webhooks/store/event-store.ts';
import { untilTestsEnd } from '../cleanups.ts';
import { log } from '../silent-log.ts';

/** Creates stores on one database, each with its own connections, like several servers. */
export function createTestStores(url: string) {
  const databases = new Map<EventStore, Database>();
  return {
    create(): EventStore {
      const database = untilTestsEnd(createDatabase({ url, log }));
      const store = new EventStore(database);
      databases.set(store, database);
      return store;
    },
    /** The connections of a store. */
    databaseOf: (store: EventStore): Database => databases.get(store)!,
  };
}

export type TestStores = ReturnType<typeof createTestStores>;

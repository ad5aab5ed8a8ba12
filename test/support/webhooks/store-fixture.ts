import { beforeAll } from '@jest/globals';
import type { Database } from '../../../src/database/database.ts';
import { untilTestsEnd } from '../cleanups.ts';
import { startTestPostgres, type TestPostgres } from '../postgres.ts';
import { createDeliveryDatabase, waitUntilPrepared } from './delivery-setup.ts';

/** A database of PostgreSQL for the tests of one file. */
export interface StoreFixture {
  readonly postgres: TestPostgres;
  readonly url: string;
  readonly database: Database;
  /** Another server on the same database. */
  createServer(): Database;
}

/** Starts PostgreSQL before the tests of a file. */
export function useDatabase(): StoreFixture {
  let postgres: TestPostgres;
  let url: string;
  const servers: Database[] = [];
  const createServer = (): Database => {
    const database = untilTestsEnd(createDeliveryDatabase(url));
    servers.push(database);
    return database;
  };
  beforeAll(async () => {
    postgres = await startTestPostgres();
    url = await postgres.createDatabase();
    await waitUntilPrepared(createServer());
  });
  return {
    get postgres() {
      return postgres;
    },
    get url() {
      return url;
    },
    get database() {
      return servers[0]!;
    },
    createServer,
  };
}

import { afterAll, beforeAll } from '@jest/globals';
import pino from 'pino';
import { migrateJobQueue } from '../../../../../src/domains/webhooks/delivery/job-queue.ts';
import { createDatabase, type Database } from '../../../../../src/domains/webhooks/store/database.ts';
import { startTestPostgres, type TestPostgres } from '../../../../support/postgres.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

const log = pino({ level: 'silent' });

/** A database of PostgreSQL for the tests of one file. */
export interface StoreFixture {
  readonly postgres: TestPostgres;
  readonly database: Database;
  /** Another server on the same database. */
  createServer(): Database;
}

/** Starts PostgreSQL before the tests of a file, and stops it after them. */
export function useDatabase(): StoreFixture {
  let postgres: TestPostgres;
  let url: string;
  const servers: Database[] = [];
  const createServer = (): Database => {
    const database = createDatabase({ url, prepare: (query) => migrateJobQueue(query, url, log), log });
    servers.push(database);
    return database;
  };
  beforeAll(async () => {
    postgres = await startTestPostgres();
    url = await postgres.createDatabase();
    const server = createServer();
    await waitUntil(
      () =>
        server.check().then(
          () => true,
          () => false,
        ),
      'the database is migrated',
    );
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await postgres?.stop();
  });
  return {
    get postgres() {
      return postgres;
    },
    get database() {
      return servers[0]!;
    },
    createServer,
  };
}

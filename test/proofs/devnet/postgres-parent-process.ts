import { startPostgres } from '../../../devnet/src/postgres/server.ts';

/** A process that starts a server and prints its URL and pid. */
const { url, pid } = await startPostgres();
process.stdout.write(`${JSON.stringify({ url, pid })}\n`);

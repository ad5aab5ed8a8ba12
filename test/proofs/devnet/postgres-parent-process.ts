import { startPostgres } from '../../../devnet/src/postgres/server.ts';

/** A process that starts a server and prints its URL and pid; with `initializing` it does not wait for the start. */
const started = startPostgres();
if (process.argv.includes('initializing')) process.stdout.write('initializing\n');
const { url, pid } = await started;
process.stdout.write(`${JSON.stringify({ url, pid })}\n`);

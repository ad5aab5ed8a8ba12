import { createDeliveryDatabase, startTestWorker } from './delivery-setup.ts';

/** A process that delivers webhooks until it is killed. Argument: the URL of the database. */
const [url] = process.argv.slice(2);
const database = createDeliveryDatabase(url!);
startTestWorker(url!, database);
process.stdin.resume().on('end', () => process.exit());

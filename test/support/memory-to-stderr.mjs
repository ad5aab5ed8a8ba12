// On SIGUSR2 collects garbage and writes the bytes in use to standard error: `node --import ./memory-to-stderr.mjs dist/main.js`.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.stderr.write(`${JSON.stringify({ bytesInUse: heapUsed + external, rss })}\n`);
});

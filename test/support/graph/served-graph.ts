import { Writable } from 'node:stream';
import type { Logger } from 'pino';
import { domains } from '../../../src/app/installed-domains.ts';
import { serve } from '../../../src/app/serve.ts';
import { secretsOfChains } from '../../../src/config/chains-file.ts';
import { assembleSettings, type CoreSettings } from '../../../src/config/core-settings.ts';
import { readSettings } from '../../../src/config/settings.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { stopAfterTests } from '../cleanups.ts';
import { assertNoSecret, checkFetchedResponses } from '../secrets.ts';
import { executeOverHttp, type RunningGraph } from './running-graph.ts';

checkFetchedResponses();

const definitions = assembleSettings(domains);

type ServedGraph = Readonly<Record<'url' | 'readyMessage', string>> & {
  stop(options: { readonly hasGracePeriod: boolean }): Promise<void>;
};

/**
 * Starts the whole server from its sources in this process, with these settings, at log level trace. For files that need several graphs:
 * each process of `startGraph` takes more than a second of CPU time to load. `start`: how it starts, as one process unless given.
 */
export async function serveGraph(
  settings: Record<string, string> = {},
  start: (values: CoreSettings, log: Logger) => Promise<ServedGraph> = (values, log) => serve(values, domains, log),
): Promise<RunningGraph> {
  const values = readSettings(definitions, {}, { PORT: '0', LOG_LEVEL: 'trace', DEVNET_CHAINS: '1', ...settings });
  let output = '';
  const out = new Writable({
    write(line, _encoding, done) {
      output += line;
      done();
    },
  });
  const served = await start(values, createLogger(values.LOG_LEVEL, secretsOfChains(definitions, values), out));
  output += served.readyMessage;
  return {
    url: served.url,
    output: () => output,
    execute: (query, variables) => executeOverHttp(served.url, query, variables),
    stop: stopAfterTests(async () => {
      await served.stop({ hasGracePeriod: false });
      assertNoSecret(output, 'the output of the graph');
    }),
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/**
 * Starts one embedded network without traffic for all test files that only read, and passes its description in SHARED_DEVNET.
 * It starts no network without a built program: the tests of the sources do not need one.
 */
export default async function startSharedDevnet() {
  if (!existsSync(MAIN)) return;
  const { PATH, HOME, TMPDIR } = process.env;
  const server = spawn(process.execPath, [MAIN], {
    env: { PATH, HOME, ...(TMPDIR && { TMPDIR }), PORT: '0', DEVNET_LIFE: 'off', DEVNET_CHAINS: '1', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((resolve, reject) => {
    let output = '';
    server.stdout.on('data', (chunk) => {
      output += chunk;
      const ready = /graph +(http:\S+)\/graphql/.exec(output);
      if (ready) resolve(ready[1]);
    });
    server.once('exit', (code) => reject(new Error(`the shared devnet ended with status ${code}: ${output}`)));
  });
  process.env.SHARED_DEVNET = await (await fetch(`${url}/devnet.json`)).text();
  globalThis.stopSharedDevnet = async () => {
    server.kill('SIGTERM');
    await once(server, 'exit');
  };
}

import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { brotliDecompressSync, createBrotliDecompress } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';
import { untilTestsEnd } from '../cleanups.ts';

const home = join(createRequire(import.meta.url).resolve('@sparticuz/chromium'), '../../..');

/** Launches `CHROMIUM_PATH`, Debian's Chromium, or the Chromium of @sparticuz/chromium. It closes after the tests of the file. */
export async function launchBrowser(): Promise<Browser> {
  const debian = existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined;
  const installed = process.env.CHROMIUM_PATH ?? debian;
  const { executablePath, env } = installed ? { executablePath: installed, env: {} } : await unpackChromium();
  const options = {
    executablePath,
    env: { ...process.env, ...env },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  };
  return untilTestsEnd(await chromium.launch(options));
}

/**
 * Unpacks the Chromium of @sparticuz/chromium and the NSS libraries that it needs outside Amazon Linux into node_modules/.cache, once.
 * The package's own `executablePath()` returns a file that another process is still writing.
 */
async function unpackChromium() {
  const { version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as { version: string };
  const place = join(home, '../../.cache', `chromium-${version}`);
  const ready = { executablePath: join(place, 'chromium'), env: { LD_LIBRARY_PATH: join(place, 'lib') } };
  if (existsSync(place)) return ready;
  await mkdir(join(place, '..'), { recursive: true });
  const own = await mkdtemp(`${place}-`);
  try {
    const executable = createWriteStream(join(own, 'chromium'), { mode: 0o755 });
    await pipeline(createReadStream(join(home, 'bin/chromium.br')), createBrotliDecompress(), executable);
    const libraries = brotliDecompressSync(await readFile(join(home, 'bin/al2023.tar.br')));
    execFileSync('tar', ['-x', '-C', own], { input: libraries });
    await rename(own, place);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    // Another process may have unpacked it first.
    if (!existsSync(place)) throw error;
  }
  return ready;
}

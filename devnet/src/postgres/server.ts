import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { resolve as resolvePath } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DevnetError } from '../devnet-error.ts';
import { startParentWatchdog } from '../parent-watchdog.ts';
import { createTemporaryDirectory } from '../temporary-directory.ts';
import { type PostgresBinaries, resolvePostgresBinaries } from './binaries.ts';
import { type PostgresCluster, prepareCluster, startError } from './cluster.ts';
import { type Program, startProgram } from './program.ts';
import { databaseUrl, waitUntilReady } from './readiness.ts';

export interface PostgresOptions {
  /**
   * Directory whose data survives the server, created if it does not exist. If this process runs as root, the directory
   * is given to the user that PostgreSQL runs as. @default a temporary directory, removed when the server ends
   */
  readonly directory?: string;
  /** Whether committed data survive a crash of the operating system, for which each commit waits for the disk. @default true with a `directory` */
  readonly isDurable?: boolean;
  /** Port that the server listens on. @default a free port */
  readonly port?: number;
  /** The programs of PostgreSQL. @default the programs of the npm package */
  readonly binaries?: PostgresBinaries;
  /** Ends a start that is in progress, which then rejects. */
  readonly signal?: AbortSignal;
}

export interface PostgresServer {
  /** URL of the database `postgres` with the superuser and its password. */
  readonly url: string;
  readonly pid: number;
  /** Resolves when the server exits unexpectedly; never resolves after `stop`. */
  readonly exited: Promise<void>;
  /** Kills the process, so that `exited` resolves. Committed transactions survive in a directory. */
  kill(): void;
  /** Ends all connections and the server. Resolves when it has exited and its temporary files are removed. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const STOP_TIMEOUT_MS = 5_000;
/** Time to wait until a killed server has released its files, and for a port. */
const RELEASE_TIMEOUT_MS = 5_000;
const RETRY_INTERVAL_MS = 100;
const RETRYABLE_FAILURE = /postmaster\.pid" already exists|shared memory block|could not create any TCP\/IP sockets/;

/** Few connections and little memory. A log line is written only for a failure of the server, never with a statement. */
const SERVER_SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: HOST,
  unix_socket_directories: '',
  shared_buffers: '16MB',
  max_connections: '50',
  max_wal_size: '128MB',
  log_min_messages: 'fatal',
};

/**
 * Starts PostgreSQL on the local interface. It ends with `stop`, and when this process ends in any way. Rejects if there is no program
 * for this platform, if the directory cannot be used, or if PostgreSQL exits or is not ready within 20 seconds.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { binaries = resolvePostgresBinaries() } = options;
  const isTemporary = options.directory === undefined;
  const isDurable = options.isDurable ?? !isTemporary;
  const directory = isTemporary
    ? createTemporaryDirectory('grimoire-postgres-', 'embedded database')
    : resolvePath(options.directory!);
  // SIGQUIT ends the server without a checkpoint, with its own processes.
  const watchdog = startParentWatchdog({ directory: isTemporary ? directory : undefined, signal: 'SIGQUIT' });
  let starting: Program | undefined;
  // Programs that this signal ends remove their files and end their own children.
  const abort = () => starting?.kill('SIGQUIT');
  const watch = (program: Program) => {
    if (program.pid !== undefined) watchdog.watch(program.pid);
    starting = program;
    if (options.signal?.aborted) abort();
  };
  options.signal?.addEventListener('abort', abort);
  try {
    const cluster = await prepareCluster({ directory, isDurable, binaries, onStart: watch });
    const { program, url } = await startServer(binaries.postgres, cluster, { port: options.port, isDurable }, watch);
    let stopping = false;
    const ended = program.ended.then(() => watchdog.release());
    return {
      url,
      pid: program.pid!,
      exited: new Promise((resolve) => ended.then(() => stopping || resolve())),
      kill: () => program.kill('SIGKILL'),
      async stop() {
        stopping = true;
        program.kill('SIGINT');
        const timer = setTimeout(() => program.kill('SIGKILL'), STOP_TIMEOUT_MS);
        await ended;
        clearTimeout(timer);
      },
    };
  } catch (error) {
    await watchdog.release();
    throw error instanceof DevnetError ? error : startError((error as Error).message, error);
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
}

/** Starts the server, again while its files or its port are in use. */
async function startServer(
  path: string,
  { data, password, options }: PostgresCluster,
  { port, isDurable }: { readonly port: number | undefined; readonly isDurable: boolean },
  onStart: (program: Program) => void,
): Promise<{ readonly program: Program; readonly url: string }> {
  const deadline = performance.now() + RELEASE_TIMEOUT_MS;
  const settings = { ...SERVER_SETTINGS, fsync: isDurable ? 'on' : 'off' };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  for (;;) {
    const usedPort = port ?? (await findFreePort());
    const program = startProgram(path, ['-D', data, '-p', String(usedPort), ...flags], options);
    onStart(program);
    const url = databaseUrl(HOST, usedPort, password);
    const failure = await waitUntilReady(program, url);
    if (failure === undefined) return { program, url };
    program.kill('SIGKILL');
    await program.ended;
    if (!RETRYABLE_FAILURE.test(failure) || performance.now() > deadline) throw startError(failure);
    await sleep(RETRY_INTERVAL_MS);
  }
}

/** PostgreSQL cannot choose a port itself. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

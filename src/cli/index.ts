import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { basename, relative } from 'node:path';
import { Command, CommanderError } from 'commander';
import type { Logger } from 'pino';
import { domains } from '../app/installed-domains.ts';
import { devnetMessage } from '../app/ready-message.ts';
import { type ConfiguredChain, secretsOfChains } from '../config/chains-file.ts';
import { assembleSettings, type CoreSettings, workerCount } from '../config/core-settings.ts';
import { ignoredSettings, isSubgraph } from '../config/setting-checks.ts';
import { misspelledSettings } from '../config/settings.ts';
import { servedDomains } from '../domains/domain.ts';
import { composeSchema, printGraph } from '../graphql/federation/compose.ts';
import { printSubgraph } from '../graphql/federation/subgraph-sdl.ts';
import { GraphError } from '../lib/errors.ts';
import { createLogger } from '../lib/logger.ts';
import { version } from '../lib/package-root.ts';
import { type McpSettings, mcpSettings } from '../mcp/settings.ts';
import { commandAdder, settingHelp } from './command-line.ts';
import { createProject } from './init.ts';

/** Process managers kill the process ten seconds after SIGTERM; it exits before. */
const EXIT_TIMEOUT_MS = 9_500;

const definitions = assembleSettings(domains);
const mcpDefinitions = { ...definitions, ...mcpSettings };

/** Writes to standard output. Rejects when that is full or closed. */
const print = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) return resolve();
      const failure = new Error(`Cannot write to standard output: ${error.message}`, { cause: error });
      reject(Object.assign(failure, { syscall: 'write' }));
    });
  });

/** `chains`: those of CHAINS, which the process reads by default. */
const createProcessLogger = (settings: CoreSettings, chains?: readonly ConfiguredChain[]): Logger =>
  createLogger(settings.LOG_LEVEL, secretsOfChains(mcpDefinitions, settings, chains), process.stderr, settings.LOG_FORMAT);

/** The log of a process that serves the graph. The process survives rejections that the graph has already reported. */
function createServingLogger(settings: CoreSettings & Partial<McpSettings>, chains?: readonly ConfiguredChain[]): Logger {
  const log = createProcessLogger(settings, chains);
  const warnings = cluster.isWorker ? [] : [...ignoredSettings(mcpDefinitions, settings), ...misspelledSettings(mcpDefinitions)];
  for (const line of warnings) log.warn(line);
  // When one item of a list fails, graphql-js stops waiting for the others, whose promises can still reject.
  process.on('unhandledRejection', (err) => log.warn({ err }, 'a field failed after the response to its operation was complete'));
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'uncaught exception; the process exits');
    process.exit(1);
  });
  return log;
}

/**
 * Resolves on SIGINT, on SIGTERM, and when the embedded chain has exited (`chainExit`), which is exit code 1. Clients get a grace period after
 * SIGTERM, which a process manager sends, not after SIGINT, which a person sends.
 */
async function waitForShutdownSignal(log: Logger, chainExit: Promise<void> | undefined) {
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  const signal = await Promise.race([signalled, chainExit?.then(() => undefined) ?? signalled]);
  if (signal) log.info({ signal }, 'shutting down');
  else log.fatal('the embedded chain has exited; shutting down');
  return { exitCode: signal ? 0 : 1, hasGracePeriod: signal === 'SIGTERM' };
}

async function serveCommand(settings: CoreSettings): Promise<number> {
  if (cluster.isWorker) {
    // Without the primary, this process would not learn of new blocks.
    process.once('disconnect', () => process.exit(1));
    const { runWorker } = await import('../workers/worker.ts');
    await runWorker(settings, domains, (chains) => createServingLogger(settings, chains).child({ worker: cluster.worker!.id }));
    return 0;
  }
  const log = createServingLogger(settings);
  const graph = await startServing(settings, log);
  try {
    // Installs the signal handlers before the ready message: its reader may send a signal at once.
    const shutdown = waitForShutdownSignal(log, graph.devnetExited);
    await print(`${graph.readyMessage}\n`);
    // scripts/start.js then builds the documentation.
    channel('grimoire:ready').publish({});
    const { exitCode, hasGracePeriod } = await shutdown;
    setTimeout(() => process.exit(1), EXIT_TIMEOUT_MS).unref();
    await graph.stop({ hasGracePeriod });
    return exitCode;
  } finally {
    await graph.stop();
  }
}

/** Serves the graph in this process, or with WORKERS in several. */
async function startServing(settings: CoreSettings, log: Logger) {
  const count = workerCount(settings);
  if (count > 1) return (await import('../workers/primary.ts')).servePrimary(settings, domains, count, log);
  return (await import('../app/serve.ts')).serve(settings, domains, log);
}

/** Standard output belongs to MCP: everything else is written to standard error. */
async function mcpCommand(settings: CoreSettings & McpSettings): Promise<number> {
  const log = createServingLogger(settings);
  const { serve } = await import('../app/serve.ts');
  const { callersOf } = await import('../app/server-options.ts');
  const { startMcp } = await import('../mcp/index.ts');
  const callers = await callersOf(settings, log);
  const ownProxySecret = randomUUID();
  const graph =
    settings.GRAPH_URL === undefined ? await serve({ ...settings, WORKERS: 1 }, domains, log, { ownProxySecret }) : undefined;
  try {
    const ownGraph = graph && { url: graph.url, probe: graph.probe, proxySecret: ownProxySecret };
    const mcp = await startMcp({ settings, ownGraph, callers, log });
    try {
      const shutdown = waitForShutdownSignal(log, graph?.devnetExited);
      process.stderr.write(`${mcp.readyMessage}\n`);
      const exit = await Promise.race([shutdown, ...(mcp.disconnected ? [mcp.disconnected] : [])]);
      setTimeout(() => process.exit(1), EXIT_TIMEOUT_MS).unref();
      return exit?.exitCode ?? 0;
    } finally {
      await mcp.stop();
    }
  } finally {
    await graph?.stop({ hasGracePeriod: false });
  }
}

async function devnetCommand(settings: CoreSettings): Promise<number> {
  const log = createProcessLogger(settings);
  const { startEmbeddedNetwork } = await import('../app/network.ts');
  const { HOST: host, DEVNET_CHAINS: chains } = settings;
  const devnet = await startEmbeddedNetwork(settings, log, { host, hasDatabase: false, chains });
  try {
    const shutdown = waitForShutdownSignal(log, devnet.exited);
    await print(`${devnetMessage(devnet.description, domains)}\n`);
    return (await shutdown).exitCode;
  } finally {
    await devnet.stop();
  }
}

function schemaCommand(settings: CoreSettings): Promise<void> {
  const served = servedDomains(domains, settings);
  const isMultiChain = settings.MULTI_CHAIN === 'on';
  return print(isSubgraph(settings) ? printSubgraph(served, isMultiChain) : printGraph(composeSchema(served, isMultiChain)));
}

/**
 * Ends the process with the exit code that the command returns, 0 if it returns none; on failure, with 1 and the error
 * on standard error.
 */
async function exitWith(command: () => Promise<unknown>): Promise<never> {
  try {
    process.exit(Number((await command()) ?? 0));
  } catch (error) {
    // Failures of the system, such as a port in use or a full disk, need no stack trace: their message names the cause.
    const isExpected = error instanceof GraphError || (error instanceof Error && 'syscall' in error);
    process.stderr.write(`${isExpected ? (error as Error).message : String(error instanceof Error ? error.stack : error)}\n`);
    process.exit(1);
  }
}

/** The program as it was started, for the help: `grimoire`, or `node` with the path of its file. */
const programName = (file = ''): string => (basename(file) === 'main.js' ? `node ${relative(process.cwd(), file)}` : 'grimoire');

/** The commands, options and arguments of the program. */
const EXAMPLES = [
  ['', 'serves the graph over an embedded chain at http://127.0.0.1:4000'],
  ['--rpc-url http://127.0.0.1:8545', 'serves the graph over your node'],
  ['serve --domain wizards', 'serves one domain as a federation subgraph'],
  ['devnet', 'runs the embedded chain alone'],
  ['mcp', 'serves the graph to AI agents on standard input and output (MCP)'],
  ['schema > schema.graphql', 'prints the schema, for code generators'],
  ['init ../my-app', 'writes a small web project that uses the graph'],
] as const;

function createProgram(name: string, hasCommand: boolean, writeOut: (text: string) => void): Command {
  const program = new Command(name)
    // An unknown argument can be a URL with a key, or end with one.
    .configureOutput({ writeOut, outputError: (text, write) => write(text.replace(/(=|:\/\/).*'/s, "$1...'")) })
    .exitOverride()
    .description(
      'One GraphQL endpoint over an Ethereum node and a wizard tournament.\nWithout settings it starts an embedded chain with accounts, tokens and a tournament.',
    )
    .version(version)
    .addHelpText(
      'after',
      `
Settings, as flags or as environment variables, with their defaults:
${Object.entries(definitions).map(settingHelp).join('\n')}

Settings of the command \`mcp\` besides these:
${Object.entries(mcpSettings).map(settingHelp).join('\n')}

Examples:
${EXAMPLES.map(([args, about]) => `  ${name} ${args.padEnd(33)}${about}`).join('\n')}`,
    );
  const devnetNames = Object.keys(definitions).filter(
    (name) =>
      (name.startsWith('DEVNET_') && name !== 'DEVNET_URL') ||
      ['DATA_DIR', 'HOST', 'ALLOWED_HOSTS', 'LOG_FORMAT', 'LOG_LEVEL'].includes(name),
  );
  const addCommand = commandAdder(program, exitWith);
  const about = 'serve the graph and its playground (the default)';
  addCommand('serve', about, definitions, serveCommand, Object.keys(definitions), !hasCommand);
  // In the other commands, --chains is the setting CHAINS.
  const devnetDefinitions = { ...definitions, DEVNET_CHAINS: { ...definitions.DEVNET_CHAINS, otherFlag: '--chains' } };
  addCommand('devnet', 'run the embedded chain alone', devnetDefinitions, devnetCommand, devnetNames);
  addCommand('mcp', 'serve the graph to AI agents (Model Context Protocol)', mcpDefinitions, mcpCommand);
  addCommand('schema', 'print the schema that `serve` would serve with these settings', definitions, schemaCommand);
  program
    .command('init')
    .description('write a small web project that uses the graph')
    .argument('[folder]', 'a new or an empty folder', '.')
    .action((folder: string) => exitWith(() => print(createProject(folder))));
  return program;
}

/** Runs the command that the arguments name, then ends the process with its exit code. */
export async function runCli(argv: readonly string[]): Promise<never> {
  // The callback of `write` reports an error; without a listener the event would end the process with a stack trace.
  process.stdout.on('error', () => {});
  const pendingWrites: Promise<void>[] = [];
  // With a default command, commander would take an unknown command as its argument and suggest none.
  const hasCommand = argv[2] !== undefined && !argv[2].startsWith('-');
  const program = createProgram(programName(argv[1]), hasCommand, (text) => void pendingWrites.push(print(text)));
  return exitWith(async () => {
    try {
      await program.parseAsync(argv);
      return 0;
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      // Commander does not wait until its output is written.
      await Promise.all(pendingWrites);
      return error.exitCode;
    }
  });
}

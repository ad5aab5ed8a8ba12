#!/usr/bin/env node
import './v8-flags.ts';
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { devnetMessage, readyMessage } from './banner.ts';
import {
  readSettings,
  type SettingName,
  type Settings,
  secretValues,
  settingDefault,
  settingFlag,
  settingNames,
  settings,
} from './config.ts';
import type { Devnet } from './devnet/index.ts';
import { chain, pendingSubscriptionMethods } from './domains/chain/index.ts';
import { selectDomains } from './domains/index.ts';
import { readTokenLists, tokens } from './domains/tokens/index.ts';
import { warnOnChainMismatch } from './domains/wizards/chain-check.ts';
import { type WizardSettings, wizards } from './domains/wizards/index.ts';
import { GraphError } from './errors.ts';
import { composeSchema, printGraph } from './graphql/federation/compose.ts';
import { createHostCheck, listenHostNames } from './hosts.ts';
import { createLogger } from './logger.ts';
import { chainMetrics, createWizardMetrics, headStatus, nodeMetrics, subscriptionSourceMetrics } from './metrics.ts';
import { startServer } from './server/http.ts';
import { waitForShutdownSignal } from './server/shutdown.ts';
import { chainFacts } from './snapshot/chain-facts.ts';
import { createEventReads } from './snapshot/event-reads.ts';
import { createSnapshot } from './snapshot/index.ts';
import { probeNode } from './snapshot/node-capabilities.ts';
import { createRpcResultCache } from './snapshot/rpc-result-cache.ts';
import { createChainFeed } from './sync/feed.ts';
import { startFollower } from './sync/head/follower.ts';
import { checkSyncReadiness } from './sync/head/readiness.ts';
import { parseEndpoint } from './upstream/endpoint.ts';
import { withTimeout } from './upstream/rpc/circuit-breaker.ts';
import { createRpcNode } from './upstream/rpc/node.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

/** Whoever stops a process waits ten seconds for it; longer than this, nothing may hold it. */
const EXIT_TIMEOUT_MS = 9_500;
/** How long a start waits for its node. */
const STARTUP_CHECK_TIMEOUT_MS = 2_000;

/** Pages that are developed on this machine may use the embedded chain; it has nothing to protect from them. */
const LOOPBACK_ORIGINS: readonly string[] = ['http://localhost:*', 'http://127.0.0.1:*', 'http://[::1]:*'];

// The callback of a write reports its error; the event without a listener would end the process with a stack trace.
process.stdout.on('error', () => {});

/** Writes to standard output. Rejects when that is full, or closed. */
const print = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) return resolve();
      // A copy: once the stream has failed, later writes get the same error.
      const failure = new Error(`Cannot write to standard output: ${error.message}`, { cause: error });
      reject(Object.assign(failure, { syscall: 'write' }));
    });
  });

async function startDevnet(values: Settings, secrets: readonly string[]): Promise<Devnet> {
  const { startDevnet: start } = await import('./devnet/index.ts');
  return start({
    seed: values.DEVNET_SEED,
    blockTime: values.DEVNET_BLOCK_TIME,
    hasActivity: values.DEVNET_LIFE === 'on',
    nodePort: values.DEVNET_NODE_PORT,
    nodeWsPort: values.DEVNET_NODE_WS_PORT,
    wizardsPort: values.DEVNET_WIZARDS_PORT,
    acceptsHost: createHostCheck(values.ALLOWED_HOSTS),
    log: createLogger(values.LOG_LEVEL, secrets),
  });
}

/** Whether the graph that these settings mean has a tournament: one that they name, else the one of the embedded chain. */
const hasWizards = ({ RPC_URL, WIZARDS_URL }: Settings): boolean => RPC_URL === undefined || WIZARDS_URL !== undefined;

function wizardSettings(values: Settings, devnet: Devnet | undefined): WizardSettings | undefined {
  const { WIZARDS_URL: url, WIZARDS_API_TOKEN: token, WIZARDS_EMAIL: email } = values;
  const limits = { timeoutMs: values.RPC_TIMEOUT_MS, maxBytes: values.WIZARDS_MAX_BYTES };
  if (url !== undefined) return { url, token, email, ...limits };
  return devnet && { ...devnet.description.wizardService, ...limits };
}

async function serve(values: Settings): Promise<number> {
  const secrets = secretValues(values);
  const log = createLogger(values.LOG_LEVEL, secrets);
  // When one item of a list fails at once, graphql-js leaves the others behind; what they waited for can still fail.
  process.on('unhandledRejection', (err) => log.warn({ err }, 'a part of an answer that nobody waits for has failed'));
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'uncaught; the process cannot go on');
    process.exit(1);
  });
  const devnet = values.RPC_URL === undefined ? await startDevnet(values, secrets) : undefined;
  const urls = values.RPC_URL ?? [devnet!.description.nodeService.http];
  const node = createRpcNode({ urls, maxBatchSize: values.RPC_BATCH, timeoutMs: values.RPC_TIMEOUT_MS, log });
  // A node that is away is no reason not to start: /readyz says when it is there.
  const chainId = withTimeout(STARTUP_CHECK_TIMEOUT_MS, node.chainId).catch((err) => {
    log.warn({ err }, 'the node does not answer yet');
    return undefined;
  });
  const follower = startFollower({
    url: values.RPC_WS_URL ?? devnet?.description.nodeService.ws,
    createSource: node.createSession,
    chainId,
    timeoutMs: values.RPC_TIMEOUT_MS,
    maxBatchSize: values.RPC_BATCH,
    log,
  });
  // Whoever has another chain by one way cannot be believed by the other.
  follower.ended.then((error) => error.code === 'UPSTREAM_CHAIN_CHANGED' && node.disable(error));
  const memory = values.CACHE_BYTES === 0 ? undefined : createRpcResultCache(values.CACHE_BYTES, follower);
  const feed = createChainFeed({
    follower,
    createSource: node.createSession,
    fullTransactionSubscriptions: pendingSubscriptionMethods(values.NODE_METHODS),
    timeoutMs: values.RPC_TIMEOUT_MS,
    log,
  });
  try {
    const head = withTimeout(STARTUP_CHECK_TIMEOUT_MS, follower.ready);
    await Promise.all([chainId, head.catch((err) => log.warn({ err }, 'the head of the chain is not known yet'))]);
    const events = createEventReads(feed);
    const snapshotSources = { node, follower, cache: memory, eventReads: events };
    const chainOf = chain.create({
      maxBlocks: values.MAX_BLOCKS,
      maxLogs: values.MAX_LOGS,
      subscriptionSources: { feed, snapshotSources },
    });
    const lists = readTokenLists(values.TOKEN_LISTS, devnet ? [devnet.tokenList] : []);
    const tokensOf = tokens.create({ enhancedMethods: values.NODE_METHODS, lists });
    const tournament = wizardSettings(values, devnet);
    const watch = createWizardMetrics();
    const wizardsOf =
      tournament && wizards.create({ ...tournament, streamSources: { feed, log }, onFieldConflicts: watch.onContradictions });
    if (values.WIZARDS_URL !== undefined) warnOnChainMismatch(values.WIZARDS_CHAIN_ID, node, follower, log);
    const domains = selectDomains(tournament !== undefined);
    const ready = async (signal: AbortSignal) => {
      if (follower.status.state === 'fatal') throw follower.status.error;
      const block = await probeNode(node, signal);
      checkSyncReadiness(follower, feed.sourceHealth);
      return { block, head: headStatus(follower) };
    };
    const server = await startServer({
      host: values.HOST,
      port: values.PORT,
      corsOrigins: devnet && values.CORS_ORIGINS.length === 0 ? LOOPBACK_ORIGINS : values.CORS_ORIGINS,
      // DNS rebinding would lead pages of any site to the embedded chain, which has no other protection.
      acceptsHost:
        devnet || values.ALLOWED_HOSTS.length > 0
          ? createHostCheck([...listenHostNames(values.HOST), ...values.ALLOWED_HOSTS])
          : undefined,
      operationTimeoutMs: values.OPERATION_TIMEOUT_MS,
      maxConnections: values.MAX_CONNECTIONS,
      maxSubscriptions: values.MAX_SUBSCRIPTIONS,
      limits: values,
      factsAt: (block) => chainFacts({ follower, cache: memory }, block),
      weights: Object.assign({}, ...domains.map(({ weights }) => weights)),
      errorStatus: values.ERROR_STATUS,
      schema: composeSchema(domains),
      contextOf: (operation) => {
        const view = createSnapshot(snapshotSources, operation);
        return { chain: chainOf(view), tokens: tokensOf(view), wizards: wizardsOf?.(view) };
      },
      responseCache: memory && {
        scopeOf: ({ block }) => (block === undefined ? follower.head?.hash : undefined),
        ...memory.responses,
      },
      probe: ready,
      metrics: [
        ...nodeMetrics(node),
        ...chainMetrics(follower, memory, events),
        ...subscriptionSourceMetrics(feed.sourceHealth),
        ...(tournament ? watch.metrics : []),
      ],
      documents: devnet ? { '/devnet.json': devnet.description } : {},
      log,
    });
    // Whoever has read that it is ready may end it at once.
    const asked = waitForShutdownSignal(log, devnet?.exited);
    const labels = { node: node.label, wizards: tournament && parseEndpoint(tournament.url).label };
    await print(`${readyMessage(version, server.url, labels, devnet?.description)}\n`);
    const code = await asked;
    setTimeout(() => process.exit(1), EXIT_TIMEOUT_MS).unref();
    await server.stop();
    return code;
  } finally {
    await feed.stop();
    await follower.stop();
    await node.close();
    await devnet?.stop();
  }
}

async function runDevnet(values: Settings): Promise<number> {
  const devnet = await startDevnet(values, []);
  try {
    const asked = waitForShutdownSignal(createLogger(values.LOG_LEVEL, []), devnet.exited);
    await print(`${devnetMessage(devnet.description)}\n`);
    return await asked;
  } finally {
    await devnet.stop();
  }
}

/** Runs a command to its end; the only place where the process is ended. */
async function run(command: () => Promise<number>): Promise<never> {
  try {
    process.exit(await command());
  } catch (error) {
    // Failures of the system, such as a port in use or a full disk, are not ours: their message says all.
    const isExpected = error instanceof GraphError || (error instanceof Error && 'syscall' in error);
    process.stderr.write(`${isExpected ? (error as Error).message : String(error instanceof Error ? error.stack : error)}\n`);
    process.exit(1);
  }
}

const withSettings = (command: Command, names: readonly SettingName[] = settingNames): Command => {
  for (const name of names) command.option(`${settingFlag(name)} <value>`, settings[name].about);
  return command;
};

const helpOf = (name: SettingName): string => {
  const fallback = settingDefault(name);
  return `  ${settingFlag(name)}, ${name}${fallback && ` (${fallback})`}\n      ${settings[name].about}`;
};

const settingsFromFlags = (flags: Record<string, string>): Settings =>
  readSettings(Object.fromEntries(settingNames.map((name) => [name, flags[commanderKey(name)]])));

/** The name under which commander keeps a flag: `--rpc-url` is `rpcUrl`. */
const commanderKey = (name: string): string =>
  name.toLowerCase().replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase());

/** What commander has printed; it cannot wait for that itself. */
const pendingWrites: Promise<void>[] = [];

const program = new Command('grimoire')
  .configureOutput({ writeOut: (text) => void pendingWrites.push(print(text)) })
  .exitOverride()
  .description(
    'One GraphQL endpoint over an Ethereum node and a wizard tournament.\nWith nothing configured it brings its own chain, accounts, tokens and tournament.',
  )
  .version(version)
  .addHelpText(
    'after',
    `
Settings, each as a flag or as an environment variable, with its default:
${settingNames.map(helpOf).join('\n')}

Examples:
  grimoire                                    the graph over an embedded chain, at http://127.0.0.1:4000
  grimoire --rpc-url http://127.0.0.1:8545    the graph over a node of yours
  grimoire devnet                             the embedded chain alone
  grimoire schema > schema.graphql            the schema, for code generators`,
  );

withSettings(
  program.command('serve', { isDefault: true }).description('serve the graph and its playground (the default)'),
).action((flags) => run(() => serve(settingsFromFlags(flags))));
withSettings(
  program.command('devnet').description('run the embedded chain alone'),
  settingNames.filter((name) => name.startsWith('DEVNET_') || name === 'ALLOWED_HOSTS' || name === 'LOG_LEVEL'),
).action((flags) => run(() => runDevnet(settingsFromFlags(flags))));
withSettings(program.command('schema').description('print the schema of the graph'), ['RPC_URL', 'WIZARDS_URL']).action((flags) =>
  run(async () => {
    await print(printGraph(composeSchema(selectDomains(hasWizards(settingsFromFlags(flags))))));
    return 0;
  }),
);

await run(async () => {
  try {
    await program.parseAsync();
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    await Promise.all(pendingWrites);
    return error.exitCode;
  }
});

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureExecutedFiles } from './executed-files.ts';

// Prints how large the server and its tests are. With --check, exits with status 1 if a figure is above its bound.

/**
 * The largest value of each figure. A change that raises one states what it removed first. Above 28,000 lines: causes of failures in the
 * ready message, text logs, checks of combined settings, rejections in the metrics, resources and searches of MCP, the page for unknown
 * paths, the hashes of headers, the log lines and `degraded` of an outage, logs from receipts, endpoints that fail checks, verified
 * responses with Merkle proofs, trusted documents, idle subscribers of 10.6 KiB, and workers, for which 860 lines that repeated inferred
 * types, wrapped single calls or had one caller were removed; and the fields of today's Ethereum, typed reads, whole
 * simulation, traces, events of duels and rollups, for which 820 lines were removed: a second dialect of state diffs, hand-written caches and
 * encoders beside existing ones, derived types. Above 31,000: subscriptions from any height, named streams, live queries and the callers of a router. Above 31,800: first heads that are read again, and
 * traces by nodes that trace no blocks; several chains in one operation, with their subscriptions, keys, metrics and embedded chains. Above 32,724: the mends
 * of 29 defects that reviews found by failing tests, for which a branch and two conditions that nothing reaches were removed. Above 32,800: outages of
 * name servers and of PostgreSQL under webhooks, for which a second check of lost connections and a second place for equal bodies were removed. Above 32,885: the mends of 60 defects that random operations, hostile documents
 * and independent models found by failing tests, for which a parse of whole responses, two counts of characters and a second end of calls of MCP were removed. Above
 * 33,080: twelve defects of tokens, webhooks, submissions and credentials, for which a second way to read token lists was removed. Above
 * 33,110: the prices of the objects of several chains. Above 33,135: the mends of 22 defects of slow clients, pending transactions, estimates, MCP and
 * deliveries, for which a second form of pending transactions was removed. Above 33,185: the mends of eight defects of filters of duels, of lists with
 * malformed duels, of replaced workers and of the embedded database, for which the set of busy connections and a search for opponents were removed. Above 33,200: the mends of 22 defects of endpoints, of subscriptions, of
 * MCP and of rejected operations, and the early collection of buffers, for which the Map of the bits of blooms with its bound, and an index of forwarded addresses were
 * removed. Above 54,000 lines of
 * tests: the random walk over the pages, the failover of rejected credentials and quotas, forged receipts, nginx, verified responses with a node that lies, Merkle proofs, trusted documents, faulty patches that were not detected, workers,
 * recorded calls of the execution APIs with the tests of each new field, its comparisons on each hard fork and on Hardhat, and kills of clients, servers,
 * databases and routers under subscriptions from any height, named streams, live queries and the callers of a router, and the simulation in virtual
 * time, also of webhooks, a wizard service, workers and false results, which replaced 850 lines of proofs, several chains, and what no test of
 * the checks of headers and roots, of subscriptions, of the feed, of the fork choice, of the follower and of the counts of webhook events
 * detected, for which 250 lines that repeated statuses, filters and calls were removed, the copies of a database that spare each file of
 * tests an `initdb`, and the tests of these defects and of single deliveries, which only proofs of several processes executed. Above 67,660: the tests of those 60 defects. Above 68,938: those of
 * thirteen further ones, and live queries in the simulation, for which their proof and a server of workers were removed. Above 69,120: a process
 * that stands still while it drains, and groups of tests, for which hooks that close sockets, locks and processes one by one were removed. Above 69,140: the tests of those 22 defects,
 * for which the seeds in titles were removed. Above 69,490: the tests of 23 defects of the pages, of subgraphs, of the files for deployment and of slow
 * traces, for which the services of a domain in the test of readiness, a count of requests in flight, and 100 faulty patches, which the mutation score
 * replaces, were removed. Above 69,750: the tests of 17 defects of the client package and of documented claims, for which repeated
 * arguments of the command line were removed. Above 70,000: the tests of those eight defects, for which a type of servers was removed. Above 70,040: those of
 * the 22 defects.
 */
const BOUNDS = {
  'code lines of the server': 33_255,
  'files of the server': 400,
  'files below 25 lines': 25,
  'files above 250 lines': 0,
  'code lines of test': 70_380,
  'loose files in src': 6,
  'jest configurations': 1,
  'files executed for a query': 85,
  'files executed for a block with one event': 75,
} as const;

type Figures = Record<keyof typeof BOUNDS, number>;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CODE_FILE = /\.(?:[cm]?[jt]s|tsx)$/;

/** Paths of the files with code below a folder, relative to the repository, without installed packages. */
const codeFiles = (folder: string): string[] =>
  readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => CODE_FILE.test(path) && !path.includes('node_modules'))
    .map((path) => `${folder}/${path}`);

/** The server without generated files. */
const serverFiles = codeFiles('src').filter((path) => !/^src\/generated\//.test(path));

const linesOf = (path: string): string[] => readFileSync(`${ROOT}${path}`, 'utf8').trimEnd().split('\n');

/** Lines that are neither empty nor a comment. */
const codeLines = (paths: readonly string[]): number =>
  paths.flatMap(linesOf).filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length;

async function measure(): Promise<Figures & { readonly lists: Record<string, readonly string[]> }> {
  const { query, event } = await measureExecutedFiles();
  const lengths = serverFiles.map((path) => linesOf(path).length);
  return {
    'code lines of the server': codeLines(serverFiles),
    'files of the server': serverFiles.length,
    'files below 25 lines': lengths.filter((length) => length < 25).length,
    'files above 250 lines': lengths.filter((length) => length > 250).length,
    'code lines of test': codeLines(codeFiles('test')),
    'loose files in src': readdirSync(`${ROOT}src`).filter((name) => CODE_FILE.test(name)).length,
    'jest configurations': readdirSync(ROOT).filter((name) => /^jest\..*config/.test(name)).length,
    'files executed for a query': query.length,
    'files executed for a block with one event': event.length,
    lists: { query, event },
  };
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const { values: options } = parseArgs({
  options: { check: { type: 'boolean', default: false }, files: { type: 'boolean', default: false } },
});
const { lists, ...figures } = await measure();
print('| figure | now | at most |\n| --- | --- | --- |');
for (const [name, bound] of Object.entries(BOUNDS))
  print(`| ${name} | ${figures[name as keyof Figures].toLocaleString('en')} | ${bound.toLocaleString('en')} |`);
if (options.files) for (const [name, files] of Object.entries(lists)) print(`\n${name}\n${files.join('\n')}`);
const exceeded = Object.entries(BOUNDS).filter(([name, bound]) => figures[name as keyof Figures] > bound);
if (options.check && exceeded.length > 0) {
  process.stderr.write(`Too large: ${exceeded.map(([name]) => name).join(', ')}. Remove code before you add more.\n`);
  process.exitCode = 1;
}

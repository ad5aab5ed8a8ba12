import { expect, test } from '@jest/globals';
import { stopAfterTests } from '../../support/cleanups.ts';
import { postJson } from '../../support/clients/post-json.ts';
import { startTestDevnet } from '../../support/devnet.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { startBarrier } from '../../support/proxies/barrier.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { createChainRecorder, type RecordedBranch } from '../../support/upstream/chain-recorder.ts';
import { type RandomRead, type ReadResponse, randomRead } from '../../support/upstream/random-reads.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Responses of a caching graph against the values that the node had for each block. */
const SEED = readSeed();
const READS = runSize(120, 10_000);

/** Canonical JSON text, independent of field order. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort()) : part,
  );

/** Error codes that a reorg during an operation may cause. */
const TRANSIENT_CODES = ['BLOCK_NOT_AVAILABLE', 'STALE_UPSTREAM'];

test(`in ${READS} reads across reorgs each response equals the node's values at its block`, async () => {
  const draw = random(SEED);
  const upTo = (n: number) => 1 + Math.floor(draw() * n);
  const devnet = await startTestDevnet();
  const { nodeService } = devnet.description;
  const gate = await startBarrier(nodeService.http);
  const ledger = await createChainRecorder(devnet.description, gate, random(SEED + 1));
  stopAfterTests(() => ledger.close());
  // More blocks than the follower reads at its start.
  await ledger.mine(20);
  const graph = await startGraph({ RPC_URL: gate.url, RPC_WS_URL: nodeService.ws, LOG_LEVEL: 'warn' });

  const ask = async ({ query, variables, at }: RandomRead): Promise<ReadResponse> => {
    const response = await postJson(`${graph.url}/graphql`, { query, variables }, { ...(at && { 'x-graph-block': at }) });
    return (await response.json()) as ReadResponse;
  };

  const settled = async () => {
    const query = '{ block { hash } }';
    const isSettled = async () => (await ask({ query } as RandomRead)).data?.block?.hash === ledger.head.hash;
    await waitUntil(isSettled, 'the graph has the head of the node');
  };

  /** The successive states of the chain: blocks are removed and added one by one. */
  const moments = (before: RecordedBranch, after: RecordedBranch): RecordedBranch[] => {
    if (before === after) return [after];
    const first = Math.min(before.head.height, after.head.height) - 9;
    return [before, after].flatMap((branch) => branch.between(first, branch.head.height)).map(({ hash }) => ledger.branch(hash));
  };

  const counts = { reads: 0, changes: 0, reorgs: 0, refused: 0, across: 0 };
  const different: unknown[] = [];
  const requested: RandomRead[] = [];
  const started = performance.now();
  await settled();

  while (counts.reads < READS && different.length < 5) {
    const start = ledger.branch(ledger.head.hash);
    // The first change is a reorg, so that a short run has one.
    const what = counts.changes === 0 ? 0 : draw();
    const change = what < 0.15 ? () => ledger.reorg(upTo(8), upTo(9)) : what < 0.35 ? () => ledger.mine(upTo(3)) : undefined;
    // Some reads run during a reorg, some before the graph has the new head, most after.
    const when = change ? draw() : 1;
    const changing = change?.();
    if (when > 0.4) await changing;
    if (when > 0.7) await settled();
    // Half of the reads repeat earlier reads, mostly on another branch.
    const reads = Array.from({ length: upTo(8) }, () =>
      draw() < 0.5 && requested.length > 0 ? requested[upTo(requested.length) - 1]! : randomRead(ledger, draw),
    );
    requested.unshift(...reads.filter(({ at }) => at === undefined));
    requested.splice(30);
    const answers = await Promise.all(reads.map(ask));
    await changing;
    const after = ledger.branch(ledger.head.hash);
    const before = when > 0.7 ? after : start;
    counts.changes += change ? 1 : 0;
    counts.reorgs += what < 0.15 ? 1 : 0;
    for (const [i, { data, errors, extensions }] of answers.entries()) {
      const { title, variables, at, expectedResults, mayBeUnavailable } = reads[i]!;
      const emitted = extensions?.block?.hash;
      // A response without a head names no block: the state of the chain at any moment of the read is valid.
      const seen = emitted === undefined ? moments(before, after) : [ledger.branch(emitted)];
      counts.reads += 1;
      counts.across += before === after ? 0 : 1;
      const isPassing = before !== after || mayBeUnavailable?.(after);
      if (isPassing && errors?.every(({ extensions: { code } }) => TRANSIENT_CODES.includes(code))) {
        counts.refused += 1;
        continue;
      }
      const expected = seen.flatMap((from) => expectedResults({ from, before, after }));
      if (!errors && expected.some((one) => textOf(one) === textOf(data))) continue;
      different.push({
        what: title,
        variables,
        at,
        heads: [emitted, before.head.height, after.head.height],
        data,
        errors,
        expected,
      });
    }
    await settled();
  }

  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(
    `cache: ${counts.reads} reads, ${counts.across} of them while the chain moved, ${counts.changes} changes, ${counts.reorgs} reorgs, ${counts.refused} refused, ${different.length} different, ${seconds} s\n`,
  );
  expect(different.map((one) => JSON.stringify(one))).toEqual([]);
  expect(counts.reorgs).toBeGreaterThan(runSize(0, 100));
  expect(counts.refused).toBeLessThan(30 + READS / 20);
});

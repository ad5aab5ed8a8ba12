import { expect, jest, test } from '@jest/globals';
import { startEventWorld } from '../../support/liar/event-worlds.ts';
import { FORGERIES, forgeWith, type Target, targetIn } from '../../support/liar/forgeries.ts';
import { QUERY_PATHS } from '../../support/liar/paths.ts';
import { startQueriedChain, startQueryWorld } from '../../support/liar/query-world.ts';
import { createVerdictTable, judge, type Observed } from '../../support/liar/verdicts.ts';
import { respondFrom, startLiarChain } from '../../support/liar/world.ts';
import { createRandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { usePostgres } from '../../support/webhooks/derivation-setup.ts';

jest.setTimeout(runSize(300_000, 7_200_000));
usePostgres();

const SEED = readSeed();
/** Rounds of each kind of forgery on each path of a query, and before subscribers. */
const ROUNDS = runSize(1, 5);
/** Forgeries of random queries. */
const RANDOM_FORGERIES = runSize(0, 100_000);
/** Number of servers that run at the same time, each over a separate liar: a server repeats a refused call only after a backoff. */
const WORLDS = 3;
const BLOCKS = runSize(4, 24);
const VERIFY = 'report,logs,state';
const KINDS = [...FORGERIES.keys()];
const PATHS = Object.keys(QUERY_PATHS);

test('no query returns a forged value as consistent, also not one that was cached', async () => {
  const draw = createRandomChoices(SEED);
  const { honest, lastUnknown, head, targetAt } = await startQueriedChain(BLOCKS, draw);
  const worlds = await Promise.all(Array.from({ length: WORLDS }, () => startQueryWorld(honest, VERIFY, draw)));
  const heights = Array.from({ length: BLOCKS }, (_none, i) => [lastUnknown - i, head - i]).flat();
  const { askHonest, url } = worlds[0]!;
  for (const height of heights.slice(0, 4)) for (const path of PATHS) await askHonest(path, await targetAt(height));
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics.match(/^grimoire_upstream_verification_failures_total.* [1-9]/gm)).toBeNull();

  const [table, cached] = [createVerdictTable(), createVerdictTable()];
  const kinds = Array.from({ length: ROUNDS }, () => KINDS).flat();
  const run = async ({ forgeQuery, forgeCached }: (typeof worlds)[number]): Promise<void> => {
    for (let kind = kinds.shift(); kind; kind = kinds.shift()) {
      const target = await targetAt(
        /^(withdrawal|ommer)/.test(kind) ? head : /new hash|height/.test(kind) ? lastUnknown : head - 1,
      );
      const forgery = { kind, target, isThorough: draw.chance(0.5) };
      for (const path of PATHS) table.add({ kind, path, ...(await forgeQuery({ ...forgery, path })) });
      for (const result of await forgeCached(forgery)) cached.add({ kind, ...result });
    }
    while (table.applied < RANDOM_FORGERIES) {
      const [kind, path] = draw.pick(table.used());
      const forgery = { kind, path, target: await targetAt(draw.pick(heights)), isThorough: draw.chance(0.5) };
      table.add({ ...forgery, ...(await forgeQuery(forgery)) });
    }
  };
  await Promise.all(worlds.map(run));
  for (const { close } of worlds) close();
  table.print(`queries, SEED=${SEED}`);
  cached.print(`queries after others have cached forged results, SEED=${SEED}`);
  expect(KINDS.filter((kind) => !table.used().some(([one]) => one === kind))).toEqual([]);
  expect([...table.served, ...cached.served]).toEqual([]);
});

/** The last head of a height. A head that a node invented is consistent with its own hash, until the honest one replaces it. */
const lastOf = ({ data, ...rest }: Observed): Observed => ({ ...rest, data: { newHeads: (data as any).newHeads.slice(-1) } });

test('no subscriber and no webhook receives a forged value as consistent', async () => {
  const draw = createRandomChoices(SEED);
  const chain = await startLiarChain();
  await chain.mineBlock();
  const worlds = {
    honest: await startEventWorld(chain, 'both', VERIFY),
    WebSocket: await startEventWorld(chain, 'both', VERIFY),
    polling: await startEventWorld(chain, 'http', VERIFY),
  };
  const { honest, ...liars } = worlds;
  for (const { liar } of Object.values(liars)) liar.maxForgeries = 4;
  const table = createVerdictTable();
  const respond = respondFrom(chain);
  const mine = async (): Promise<string> => {
    const hash = await chain.mineBlock();
    const header = await chain.rpc('eth_getBlockByHash', hash, false);
    for (const { liar } of Object.values(worlds)) await liar.announce(header);
    return hash;
  };
  const allReceived = async (hash: string): Promise<boolean> =>
    (await Promise.all(Object.values(worlds).map((world) => world.hasReceived(hash)))).every(Boolean);
  const first = await mine();
  await waitUntil(() => allReceived(first), 'the first block has arrived');
  const forged: { readonly kind: string; readonly height: number; readonly applied: readonly number[] }[] = [];
  const kinds = KINDS.filter((kind) => /^(log|receipt|transaction|header|block):/.test(kind));
  for (const kind of Array.from({ length: ROUNDS }, () => kinds).flat()) {
    const height = (await chain.head()).number + 1;
    const number = `0x${height.toString(16)}`;
    const choices = { honest: respond, isThorough: draw.chance(0.7), salt: draw.below(1e6) };
    let target: Promise<Target> | undefined;
    for (const { liar } of Object.values(liars)) {
      liar.applied = 0;
      liar.forge = async (call, result) => {
        if (!JSON.stringify(result).includes(`"${number}"`)) return result;
        target ??= targetIn(respond, number, draw, chain.storageContract);
        return forgeWith(kind, { ...(await target), ...choices })(call, result);
      };
    }
    const hash = await mine();
    // A refused announcement is not repeated, so that the block arrives with the next one.
    const isLate = await waitUntil(() => allReceived(hash), 'the block has arrived', 150).catch(() => true);
    const applied = Object.values(liars).map(({ liar }) => liar.applied);
    for (const { liar } of Object.values(liars)) liar.forge = undefined;
    const last = isLate ? await mine() : hash;
    await waitUntil(() => allReceived(last), `the block after "${kind}" has arrived`, 60_000);
    forged.push({ kind, height, applied });
  }
  const expected = await honest.received();
  for (const [i, [name, world]] of Object.entries(liars).entries())
    for (const [path, found] of Object.entries(await world.received()))
      for (const { kind, height, applied } of forged) {
        const isInvented = path === 'newHeads' && kind.endsWith('new hash');
        const { verdict, served } = judge(expected[path]!(height), isInvented ? lastOf(found(height)) : found(height));
        table.add({ kind, path: `${path} (${name})`, verdict: applied[i]! > 0 ? verdict : 'unused', served });
      }
  table.print(`events, SEED=${SEED}`);
  // No header commits to senders, and webhooks have no report (docs/consistency.md).
  expect([...table.served].filter((cell) => !cell.startsWith('transaction: from | webhooks'))).toEqual([]);
});

import { Agent } from 'node:http';
import { rawRequest } from '../clients/raw-request.ts';
import { serveGraph } from '../graph/served-graph.ts';
import type { RandomChoices } from '../random-choices.ts';
import { type ForgeryContext, forgeWith, type Target, targetIn } from './forgeries.ts';
import { startLiar } from './node.ts';
import { QUERY_PATHS } from './paths.ts';
import { judge, type Observed, type Verdict } from './verdicts.ts';
import { type Respond, respondWithSealedHead, startLiarChain } from './world.ts';

/** More blocks than the server knows the headers of. With its other blocks, anvil has the states of all. */
const EMPTY_BLOCKS = 300;

/** Maximum number of honest responses to compare with. */
const MAX_REFERENCES = 2_000;

type QueryForgery = { readonly kind: string; readonly target: Target; readonly isThorough: boolean };

/** Starts a chain with `blocks` blocks above the oldest header that a server knows, and `blocks` blocks below it. */
export async function startQueriedChain(blocks: number, draw: RandomChoices) {
  const chain = await startLiarChain();
  for (let i = 0; i < blocks; i++) await chain.mineBlock();
  const lastUnknown = (await chain.head()).number;
  await chain.rpc('anvil_mine', `0x${EMPTY_BLOCKS.toString(16)}`);
  for (let i = 0; i < blocks; i++) await chain.mineBlock();
  const head = lastUnknown + EMPTY_BLOCKS + blocks;
  const honest = await respondWithSealedHead(chain);
  return {
    ...{ honest, lastUnknown, head },
    targetAt: (height: number): Promise<Target> => targetIn(honest, `0x${height.toString(16)}`, draw, chain.storageContract),
  };
}

/** Starts the whole server over a liar. Its follower has an honest source. */
export async function startQueryWorld(honest: Respond, verify: string, draw: RandomChoices) {
  const [liar, source] = [await startLiar(honest), await startLiar(honest)];
  const serve = (urls: readonly string[], cacheBytes: string) =>
    serveGraph({
      ...{ RPC_URL: urls.join(), RPC_WS_URL: source.wsUrl, NODE_METHODS: 'plain', CACHE_BYTES: cacheBytes, LOG_LEVEL: 'silent' },
      // These times count what other processes of a busy machine take from the server.
      ...{ MAX_EVENT_LOOP_MS: '60000', RPC_TIMEOUT_MS: '30000', OPERATION_TIMEOUT_MS: '60000' },
    });
  const { url } = await serve([liar.url], '0');
  const agent = new Agent({ keepAlive: true });
  /** Paths that end with `(report)` request the report alone. */
  const ask = async (
    path: string,
    target: Target,
    server = url,
    verification = path.endsWith('(report)') ? 'report' : verify,
  ) => {
    const headers = { 'content-type': 'application/json', 'x-graph-verify': verification };
    const body = JSON.stringify({ query: `{ ${QUERY_PATHS[path]!(target)} }` });
    const response = await rawRequest(`${server}/graphql`, { method: 'POST', headers, body, agent });
    return JSON.parse(response.body) as Observed;
  };
  const references = new Map<string, Observed>();
  const askHonest = async (path: string, target: Target): Promise<Observed> => {
    const key = `${path} ${QUERY_PATHS[path]!(target)}`;
    const response = references.get(key) ?? (await ask(path, target));
    if (response.errors) throw new Error(`The honest response to ${key} has errors: ${JSON.stringify(response.errors)}`);
    if (references.size >= MAX_REFERENCES) references.clear();
    references.set(key, response);
    return response;
  };
  const forge = async (
    kind: string,
    context: Omit<ForgeryContext, 'honest' | 'salt'>,
    run: () => Promise<unknown>,
  ): Promise<boolean> => {
    liar.forge = forgeWith(kind, { ...context, honest, salt: draw.below(1e6) });
    liar.applied = 0;
    await run();
    liar.forge = undefined;
    return liar.applied > 0;
  };
  return {
    url,
    askHonest,
    /** Forges the results of one query. */
    async forgeQuery({
      kind,
      path,
      target,
      isThorough,
    }: QueryForgery & { path: string }): Promise<{ verdict: Verdict; served: string[] }> {
      const reference = await askHonest(path, target);
      let found: Observed = {};
      const isApplied = await forge(kind, { ...target, isThorough }, async () => {
        found = await ask(path, target);
      });
      return isApplied ? judge(reference, found) : { verdict: 'unused', served: [] };
    },
    /** Forges the results of each query without verification, then sends each query with it to the same server, which has another endpoint, too. */
    async forgeCached({ kind, target, isThorough }: QueryForgery) {
      const server = await serve([liar.url, source.url], '67108864');
      const paths = Object.keys(QUERY_PATHS);
      for (const path of paths) await askHonest(path, target);
      const isApplied = await forge(kind, { ...target, isThorough }, async () => {
        for (const path of paths) await ask(path, target, server.url, '');
      });
      const results: { path: string; verdict: Verdict; served: string[] }[] = [];
      for (const path of isApplied ? paths : [])
        results.push({ path, ...judge(await askHonest(path, target), await ask(path, target, server.url)) });
      await server.stop();
      return results;
    },
    close: () => agent.destroy(),
  };
}

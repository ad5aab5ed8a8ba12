import { decodeLogCursor } from '../../../src/domains/chain/log/cursor.ts';
import { createSubscriptionClient } from '../clients/subscription-client.ts';
import { startFeedOver } from '../subscriptions/feed-setup.ts';
import { serveFeed } from '../subscriptions/live-graph.ts';
import { prepareDerivation } from '../webhooks/derivation-setup.ts';
import { startLiar } from './node.ts';
import { EVENT_PATHS } from './paths.ts';
import type { Observed } from './verdicts.ts';
import { type LiarChain, respondFrom, SENDERS } from './world.ts';

type Event = Observed & { readonly data: Record<string, any> | null };

/** More than the events of two blocks. */
const RECENT_EVENTS = 20;

/** The block of an event; an event without data has it in the cursor of its error. */
function blockOf({ data, errors }: Event): { readonly height: number; readonly hash: string } {
  const [value] = Object.values(data ?? {});
  if (!value) return decodeLogCursor((errors![0] as any).extensions.cursor);
  return { height: Number(value.number ?? value.blockNumber), hash: value.hash ?? value.blockHash };
}

/** Returns events as one response with a list. */
function combine(root: string, events: readonly Event[]): Observed {
  const reported = events.flatMap(({ extensions }) => extensions?.trust?.reported ?? []);
  return {
    data: { [root]: events.map(({ data }) => data?.[root] ?? null) },
    errors: events.flatMap(({ errors = [] }, i) => errors.map(({ path = [] }) => ({ path: [root, i, ...path.slice(1)] }))),
    extensions: { trust: { level: reported.length > 0 ? 'REPORTED' : 'CONSISTENT', reported } },
  };
}

/** Starts subscriptions, which request these verifications, and webhooks over a node. */
export async function startEventWorld(chain: LiarChain, transports: 'both' | 'http', verify: string) {
  const liar = await startLiar(respondFrom(chain));
  const feed = await startFeedOver(liar, { transports });
  const { url } = await serveFeed(feed, { cacheBytes: 0 });
  const { start, register, eventsOf, tip } = await prepareDerivation(feed);
  await register({ id: 'activity', addresses: SENDERS });
  await register({ id: 'mined', type: 'MINED_TRANSACTION', addresses: SENDERS });
  start();
  const client = createSubscriptionClient(url);
  const subscriptions = Object.entries(EVENT_PATHS).map(([path, query]) => {
    const { events } = client.subscribe<string, any>(query, undefined, { verify });
    return { path, root: /{ (\w+)/.exec(query)![1]!, events: events as readonly Event[] };
  });
  return {
    liar,
    /** Whether each subscription and the webhooks have received a block; logs may follow. */
    hasReceived: async (hash: string): Promise<boolean> =>
      subscriptions.every(({ events }) => events.slice(-RECENT_EVENTS).some((event) => blockOf(event).hash === hash)) &&
      (await tip()) === hash,
    /** What has arrived, by path: a function that returns all events of a height as one response. */
    async received(): Promise<Record<string, (height: number) => Observed>> {
      const stored = (await eventsOf()).map(({ content, removed }: any) => ({ content, removed }));
      const heightOf = ({ content }: any) => Number((content.fullTransaction ?? content.activity[0]).blockNumber);
      return {
        ...Object.fromEntries(
          subscriptions.map(({ path, root, events }) => [
            path,
            (height: number) =>
              combine(
                root,
                events.filter((event) => blockOf(event).height === height),
              ),
          ]),
        ),
        webhooks: (height) => ({ data: { webhooks: stored.filter((event) => heightOf(event) === height) } }),
      };
    },
  };
}

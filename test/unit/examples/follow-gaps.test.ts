import { afterEach, expect, test } from '@jest/globals';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { GraphError } from '../../../src/lib/errors.ts';
import { startToyServer, type ToyServer, waitUntil } from '../../support/graph/toy-server.ts';

interface Event {
  readonly ticks: { readonly n: number };
}

interface Options {
  readonly query: string;
  readonly cursorOf: (event: Event) => string;
  readonly onBreak: (error: unknown, missing: boolean) => void;
}

const { follow } = (await import(`${'../../../examples/follow.mjs'}`)) as {
  follow(client: Client, options: Options): AsyncGenerator<Event>;
};

let toy: ToyServer;

afterEach(() => toy.stop());

test('follow example resumes from its cursor after a gap and reports missing events only without a cursor', async () => {
  toy = await startToyServer();
  const ticker = toy.state.ticker();
  const client = createClient({ url: `${toy.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket, retryAttempts: 0 });
  const breaks: boolean[] = [];
  const query = 'subscription ($after: String) { ticks(after: $after) { n } }';
  const onBreak = (_error: unknown, missing: boolean) => breaks.push(missing);
  const events = follow(client, { query, cursorOf: ({ ticks }) => String(ticks.n), onBreak });
  const gap = () => ticker.end(new GraphError('GAP_TOO_LARGE', 'The chain has moved on.'));
  const first = events.next();
  await waitUntil(() => ticker.openStreams === 1, 'the stream is open');
  gap();
  await waitUntil(() => breaks.length === 1 && ticker.openStreams === 1, 'the stream is open again');
  ticker.emit();
  expect((await first).value).toEqual({ ticks: { n: 1 } });
  const second = events.next();
  gap();
  ticker.emit();
  expect((await second).value).toEqual({ ticks: { n: 2 } });
  expect(breaks).toEqual([true, false]);
  await events.return(undefined);
  await client.dispose();
});

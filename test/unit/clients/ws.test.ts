import { expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { follow } from '../../../clients/js/src/index.ts';
import { createWebSocketClient } from '../../../clients/js/src/ws.ts';
import { cleanups } from '../../support/cleanups.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { startToyServer, waitUntil } from '../../support/graph/toy-server.ts';

test('a WebSocket client retains no event that its consumer has dropped', async () => {
  const toy = await startToyServer();
  const client = createWebSocketClient({ url: `${toy.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket });
  cleanups.push(() => client.dispose());
  const seen: WeakRef<object>[] = [];
  const control = new AbortController();
  const reading = (async () => {
    const query = 'subscription { ticks { n text } }';
    for await (const { ticks } of follow<{ ticks: object }>(client, { query, signal: control.signal }))
      seen.push(new WeakRef(ticks));
  })();
  await waitUntil(() => toy.state.openStreams === 1, 'the stream is open');
  for (let i = 1; i <= 50; i++) {
    toy.state.ticker().emit();
    await waitUntil(() => seen.length === i, `event ${i}`);
  }
  const retained = () => seen.filter((event) => event.deref() !== undefined).length;
  await waitUntil(() => {
    collectGarbage();
    return retained() < 10;
  }, 'the events are collected');
  control.abort();
  await reading;
  expect(seen).toHaveLength(50);
});

import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { cleanups } from '../cleanups.ts';
import { CLIENT_HEADERS } from '../secrets.ts';
import { waitUntil } from '../wait-until.ts';
import { postJson } from './post-json.ts';

/** Clients of named streams, each with the key of an application. */
const SHOP = CLIENT_HEADERS['x-api-key']!;

interface Server {
  readonly url: string;
}

/** A consumer of a subscription over a WebSocket of its own. */
export function consume({ url }: Server, query: string, key = SHOP, onEvent: (event: any) => void = () => {}) {
  const client: Client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { 'x-api-key': key },
    onNonLazyError: () => {},
  });
  cleanups.push(() => client.terminate());
  const events: any[] = [];
  const codes: unknown[] = [];
  let hasEnded = false;
  client.subscribe<any>(
    { query },
    {
      next({ data, errors }) {
        for (const { extensions } of errors ?? []) codes.push(extensions?.code);
        if (!data) return;
        events.push(Object.values(data)[0]);
        onEvent(events.at(-1));
      },
      error(error) {
        hasEnded = true;
        codes.push(...(Array.isArray(error) ? error.map(({ extensions }) => extensions?.code) : []));
      },
      complete() {
        hasEnded = true;
      },
    },
  );
  return {
    events,
    /** The codes of all errors. */
    codes,
    get hasEnded() {
      return hasEnded;
    },
    /** Closes the connection without a close frame. */
    kill: () => client.terminate(),
    waitFor: (count: number) => waitUntil(() => events.length >= count, `${count} events`),
    waitForEnd: () => waitUntil(() => hasEnded || codes.length > 0, 'the subscription has ended'),
  };
}

/** Executes an operation with the key of an application. */
export async function execute({ url }: Server, query: string, key = SHOP) {
  const response = await postJson(`${url}/graphql`, { query }, { 'x-api-key': key });
  const { data, errors } = (await response.json()) as any;
  return { data, code: errors?.[0].extensions.code };
}

export const acknowledge = (server: Server, stream: string, cursor: string, key?: string) =>
  execute(server, `mutation { acknowledge(stream: "${stream}", cursor: "${cursor}") { name cursor isActive } }`, key);

import DataLoader from 'dataloader';
import { headerText, httpUrl, setting } from '../../../src/config/settings.ts';
import { defineDomain } from '../../../src/domains/domain.ts';
import type { Operation } from '../../../src/operation/operation.ts';
import { createRestClient, type RestClient } from '../../../src/upstream/rest/rest-client.ts';
import type { GuildJson } from './service.ts';

/** A domain as a user of the package writes it: one REST service, one entity of another domain. */
export const guildSettings = {
  GUILDS_URL: setting(httpUrl.optional(), { about: 'Base URL of the guild service. When unset, the graph has no guilds' }),
  GUILDS_API_KEY: setting(headerText.optional(), { about: 'API key for the guild service', secret: true }),
};

interface GuildsContext {
  readonly guilds: ReturnType<typeof guildLoaders>;
}

/** All guilds of a tick cost one `GET /guilds`. */
const guildLoaders = (rest: RestClient, operation: Operation, onRequest: () => void) => ({
  guild: new DataLoader<string, GuildJson | null>(async (ids) => {
    operation.dependencies.addVolatile();
    onRequest();
    const path = `/guilds?ids=${ids.map(encodeURIComponent).join(',')}`;
    const guilds = (await rest.get(path, operation.signal)) as readonly GuildJson[];
    return ids.map((id) => guilds.find((guild) => guild.id === id) ?? null);
  }),
});

export const guilds = defineDomain({
  name: 'guilds',
  schema: 'test/support/guilds/schema',
  settings: guildSettings,
  errorSource: 'guild',
  weights: { 'Query.guild': { calls: 7 }, 'Guild.founder': {} },
  resolvers: {
    Query: { guild: (_query: unknown, { id }: { id: string }, { guilds }: GuildsContext) => guilds.guild.load(id) },
    Guild: { founder: ({ founder }: GuildJson) => ({ address: founder, _at: null }) },
  },
  exampleQuery: '{ guild(id: 1) { name } }',
  enableHint: 'set GUILDS_URL',
  isEnabled: ({ GUILDS_URL }) => GUILDS_URL !== undefined,
  create({ settings, upstreamObserver }) {
    let requests = 0;
    const rest = createRestClient({
      url: settings.GUILDS_URL!,
      headers: { 'x-api-key': settings.GUILDS_API_KEY ?? '' },
      name: 'The guild service',
      source: 'guild',
      timeoutMs: settings.RPC_TIMEOUT_MS,
      observer: upstreamObserver,
      routeOf: () => '/guilds',
    });
    const onRequest = () => {
      requests += 1;
    };
    return {
      loaders: ({ operation }) => guildLoaders(rest, operation, onRequest),
      label: rest.label,
      metrics: [{ name: 'guild_requests_total', help: 'Requests to the guild service.', kind: 'counter', value: () => requests }],
      async ready(signal) {
        await rest.get('/guilds?ids=', signal);
      },
      stop: () => rest.close(),
    };
  },
});

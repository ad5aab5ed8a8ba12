import { createServer } from 'node:http';
import { startTestServer } from '../test-server.ts';

/** A guild as the guild service encodes it. */
export interface GuildJson {
  readonly id: string;
  readonly name: string;
  readonly founder: string;
}

/** A REST service over HTTP: `GET /guilds?ids=1,2` lists the guilds with these ids, for requests with the API key. */
export interface GuildService {
  readonly url: string;
  /** The paths of all requests. */
  readonly paths: string[];
  /** The HTTP status of the next responses. */
  status: number;
}

export const GUILD_API_KEY = 'guild-api-key-7Hq2';

export async function startGuildService(guilds: readonly GuildJson[]): Promise<GuildService> {
  const server = createServer(({ url = '', headers }, response) => {
    service.paths.push(url);
    const ids = new URL(url, service.url).searchParams.get('ids')?.split(',') ?? [];
    const status = headers['x-api-key'] === GUILD_API_KEY ? service.status : 401;
    const body = status === 200 ? guilds.filter(({ id }) => ids.includes(id)) : { error: 'no guilds' };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const { url } = await startTestServer(server);
  const service: GuildService = { url, paths: [], status: 200 };
  return service;
}

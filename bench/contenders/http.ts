import { createServer } from 'node:http';
import { listen, readBody } from '../http-helpers.ts';

export interface GraphRequest {
  readonly query: string;
  readonly operationName: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Serves GraphQL over node:http alone, without validation of the request, so that the executor is what is measured. */
export function serve(execute: (request: GraphRequest) => Promise<string> | string): void {
  const server = createServer(async (request, response) => {
    const text = await execute(JSON.parse(await readBody(request)) as GraphRequest);
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(text);
  });
  listen(server);
}

/** Prepares each document once. */
export function oncePerDocument<Prepared>(prepare: (query: string) => Prepared): (query: string) => Prepared {
  const prepared = new Map<string, Prepared>();
  return (query) => {
    let one = prepared.get(query);
    if (one === undefined) {
      one = prepare(query);
      prepared.set(query, one);
    }
    return one;
  };
}

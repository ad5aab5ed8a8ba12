import { createServer } from 'node:http';
import { methods } from './canned.ts';
import { listen, readBody } from './http-helpers.ts';

// A node that responds at once. `GET /counts` returns the numbers of requests and calls, `DELETE /counts` resets them.

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

const counts = { http: 0, calls: 0 };

function respond({ id, method, params = [] }: Call): string {
  counts.calls++;
  const result = methods[method]?.(...params);
  const outcome = result === undefined ? '"error":{"code":-32601,"message":"method not found"}' : `"result":${result}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}`;
}

const server = createServer(async (request, response) => {
  response.setHeader('content-type', 'application/json');
  if (request.url === '/counts') {
    if (request.method === 'DELETE') Object.assign(counts, { http: 0, calls: 0 });
    response.end(JSON.stringify(counts));
    return;
  }
  counts.http++;
  const calls = JSON.parse(await readBody(request)) as Call | Call[];
  response.end(Array.isArray(calls) ? `[${calls.map(respond).join(',')}]` : respond(calls));
});

listen(server);

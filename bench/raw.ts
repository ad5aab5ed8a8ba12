import { createServer } from 'node:http';
import { listen } from './http-helpers.ts';

/** The floor of `front`: reads the request and returns a fixed text. */
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end('{"data":{"__typename":"Query"}}\n');
  });
});

listen(server);

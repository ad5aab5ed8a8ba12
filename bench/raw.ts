import { createServer } from 'node:http';
import { listen } from './http-helpers.ts';

/** The floor of the front: takes the request in and answers a fixed text. */
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end('{"data":{"__typename":"Query"}}\n');
  });
});

listen(server);

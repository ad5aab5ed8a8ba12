import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { nextMessage, operationId } from './event.ts';
import { serveCommands } from './server-commands.ts';

// The floor: sends the same message to every client.

const bytes = Number(process.argv[2]);
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, maxPayload: 256 * 1024 });
let number = 0;

server.once('listening', () =>
  serveCommands({
    port: (server.address() as AddressInfo).port,
    emit() {
      const text = nextMessage(operationId(0), ++number, bytes);
      for (const client of server.clients) client.send(text);
    },
    subscribers: () => server.clients.size,
  }),
);

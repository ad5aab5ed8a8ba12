import { connect, type Socket } from 'node:net';
import { now, operationId, QUERY } from './event.ts';

// Many clients in one process. They count frames without parsing them, and report when the expected number has arrived.

const [port, count, speaks, stalled] = process.argv.slice(2).map(Number) as [number, number, number, number];

/** Encodes a client frame: masked, with a key of zeros. */
function frame(opcode: number, text = ''): Buffer {
  const payload = Buffer.from(text);
  const head =
    payload.length < 126 ? Buffer.from([0x80 | opcode, 0x80 | payload.length]) : Buffer.from([0x80 | opcode, 0xfe, 0, 0]);
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}

const PONG = frame(10);
const UPGRADE_REQUEST =
  'GET /graphql HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n';

let received = 0;
let expectedCount = Number.POSITIVE_INFINITY;
let times: number[] = [];

/** Returns a parser that calls `onText` for each complete text frame and responds to pings. */
function createFrameReader(socket: Socket, onText: () => void): (chunk: Buffer) => void {
  let rest = 0;
  let isText = false;
  let before: Buffer | undefined;
  return (piece) => {
    const chunk = before ? Buffer.concat([before, piece]) : piece;
    before = undefined;
    let at = 0;
    while (at < chunk.length) {
      if (rest > 0) {
        const taken = Math.min(rest, chunk.length - at);
        at += taken;
        rest -= taken;
      } else {
        const size = chunk[at + 1] === undefined ? 4 : chunk[at + 1]! < 126 ? 2 : 4;
        if (chunk.length - at < size) {
          before = chunk.subarray(at);
          return;
        }
        isText = (chunk[at]! & 15) === 1;
        if ((chunk[at]! & 15) === 9) socket.write(PONG);
        rest = size === 2 ? chunk[at + 1]! : chunk.readUInt16BE(at + 2);
        at += size;
      }
      if (rest === 0 && isText) onText();
    }
  };
}

const connectClient = (i: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay();
    socket.once('error', reject);
    socket.write(UPGRADE_REQUEST);
    socket.once('data', (response) => {
      if (!String(response).startsWith('HTTP/1.1 101')) return reject(new Error(String(response)));
      let isReady = speaks === 0;
      const onText = () => {
        if (isReady) {
          // Clients that stop reading are not counted.
          if (i < stalled) return;
          times.push(now());
          if (++received === expectedCount) process.send!('all');
          return;
        }
        isReady = true;
        socket.write(frame(1, JSON.stringify({ id: operationId(i), type: 'subscribe', payload: { query: QUERY } })));
        resolve(socket);
      };
      socket.on('data', createFrameReader(socket, onText));
      if (isReady) resolve(socket);
      else socket.write(frame(1, '{"type":"connection_init"}'));
      return undefined;
    });
  });

const sockets: Socket[] = [];
for (let i = 0; i < count; i += 100) {
  sockets.push(...(await Promise.all(Array.from({ length: Math.min(100, count - i) }, (_, j) => connectClient(i + j)))));
}

process.on('message', (command: { await?: number; stall?: boolean; times?: boolean }) => {
  if (command.stall) for (const socket of sockets.slice(0, stalled)) socket.pause();
  if (command.times) {
    process.send!(times);
    times = [];
  }
  if (command.await === undefined) return;
  expectedCount = command.await;
  if (received >= expectedCount) process.send!('all');
});
process.on('disconnect', () => process.exit());
process.send!('open');

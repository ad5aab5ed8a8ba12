import type { Duplex } from 'node:stream';
import type { EncodedEvent } from '../../graphql/subscriptions/operation-sink.ts';
import { type ClientStream, MAX_COPIED_BYTES } from '../clients/client-stream.ts';

/** First byte of an unfragmented text message. */
const FINAL_TEXT_FRAME = 0x81;
const CLOSING_BRACE = Buffer.from('}');

/**
 * Writes a text message of the client's own prefix, the shared body and a closing brace. Encoding the concatenated text with ws costs
 * more CPU per client than the rest of a delivery. Only for connections without compression, where ws writes whole messages.
 */
export function writeMessage(
  stream: Duplex,
  clientStream: ClientStream,
  prefix: string,
  prefixBytes: number,
  event: EncodedEvent,
): void {
  const { body } = event;
  const length = prefixBytes + body.length + 1;
  const headerBytes = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const isCopied = body.length <= MAX_COPIED_BYTES;
  const head = Buffer.allocUnsafe(headerBytes + (isCopied ? length : prefixBytes));
  head[0] = FINAL_TEXT_FRAME;
  if (headerBytes === 2) head[1] = length;
  else if (headerBytes === 4) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeUInt16BE(0, 2);
    head.writeUIntBE(length, 4, 6);
  }
  head.write(prefix, headerBytes);
  if (isCopied) {
    let at = headerBytes + prefixBytes;
    for (const chunk of body.chunks) {
      head.set(chunk, at);
      at += chunk.length;
    }
    head[head.length - 1] = CLOSING_BRACE[0]!;
    stream.write(head);
    return;
  }
  clientStream.writeShared(head, event, CLOSING_BRACE);
}

import type { Duplex } from 'node:stream';

/** Up to here a body is copied into one piece with what is before it: one write is cheaper than three. A longer one stays shared. */
const MAX_COPIED_BYTES = 4_096;
/** A text message in one frame. */
const FINAL_TEXT_FRAME = 0x81;
const CLOSING_BRACE = Buffer.from('}');

/**
 * Writes a text message made of a lead, which is the client's own, a body, which is shared, and a closing brace. To add them as text and
 * have ws encode that would cost more for each client than everything else. Only for connections without compression: ws is never in
 * the middle of a message there.
 */
export function writeMessage(stream: Duplex, lead: string, leadBytes: number, body: Buffer): void {
  const length = leadBytes + body.length + 1;
  const from = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const isCopied = body.length <= MAX_COPIED_BYTES;
  const head = Buffer.allocUnsafe(from + (isCopied ? length : leadBytes));
  head[0] = FINAL_TEXT_FRAME;
  if (from === 2) head[1] = length;
  else if (from === 4) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeUInt16BE(0, 2);
    head.writeUIntBE(length, 4, 6);
  }
  head.write(lead, from);
  if (isCopied) {
    head.set(body, from + leadBytes);
    head[head.length - 1] = CLOSING_BRACE[0]!;
    stream.write(head);
    return;
  }
  stream.cork();
  stream.write(head);
  stream.write(body);
  stream.write(CLOSING_BRACE);
  stream.uncork();
}

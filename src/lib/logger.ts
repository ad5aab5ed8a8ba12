import { styleText } from 'node:util';
import { type Logger, pino } from 'pino';

const MASK = '[secret]';

/** Returns the three base64 encodings of a secret inside a longer text, one for each number of preceding bytes modulo 3. */
function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The first and the last character also encode bits of the neighbouring bytes.
    return text.slice(before === 0 ? 0 : before + 1, text.length - ((before + bytes.length) % 3 === 0 ? 0 : 1));
  });
}

/** Creates a function that masks secrets in a text, whether raw, URL-encoded, JSON-encoded or in base64. */
export function createMasker(secrets: readonly string[]): (text: string) => string {
  const spellings = secrets.flatMap((secret) => {
    const base64 = base64Of(secret).filter((text) => text.length >= 8);
    const quoted = JSON.stringify(secret).slice(1, -1);
    return [secret, quoted, encodeURIComponent(secret), encodeURI(secret), ...base64, ...base64.map(urlSafe)];
  });
  // Mask longer texts first, because a secret can be part of another secret.
  const byLength = [...new Set(spellings)].sort((a, b) => b.length - a.length);
  return (text) => byLength.reduce((masked, spelling) => masked.replaceAll(spelling, MASK), text);
}

const urlSafe = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');

/** Creates the log of the process: lines on standard error, with secrets masked. `auto` is text on a terminal and JSON elsewhere. */
export function createLogger(
  level: string,
  secrets: readonly string[],
  out: NodeJS.WritableStream & { readonly isTTY?: boolean } = process.stderr,
  format: 'auto' | 'text' | 'json' = 'auto',
): Logger {
  const mask = createMasker(secrets);
  const isText = format === 'auto' ? out.isTTY === true : format === 'text';
  // A secret can be a part of the syntax of the line, so the values are masked, not the line.
  const write = (line: string) => {
    const fields = maskTexts(JSON.parse(line), mask) as LogLine;
    out.write(isText ? textLine(fields, out) : `${JSON.stringify(fields)}\n`);
  };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
}

type LogLine = Readonly<Record<string, unknown>>;

/** Masks the texts of a JSON value, and the names of properties inside it. */
function maskTexts(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => maskTexts(item, mask));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [mask(name), maskTexts(item, mask)]));
}

/** Formats a line as text: time of day, level, message, the other fields, and the stack of an error. Coloured on a terminal. */
function textLine({ level, time, msg = '', err, ...fields }: LogLine, stream: NodeJS.WritableStream): string {
  const colour = Number(level) >= 50 ? 'red' : Number(level) >= 40 ? 'yellow' : 'green';
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const start = styleText(colour, `${clock} ${pino.levels.labels[Number(level)]!.padEnd(5)}`, { stream });
  const details = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  const { stack = '' } = (err ?? {}) as { stack?: string };
  return `${start} ${withoutControls(`${msg}${details.join('')} ${stack}`).trimEnd()}\n`;
}

/** Removes control characters, which a terminal would execute, except line breaks. */
const withoutControls = (text: string): string => text.replace(/[^\P{Cc}\n]/gu, '');

import { type Logger, pino } from 'pino';

const MASK = '[secret]';

/** A secret's spellings in base64: a text's encoding depends on how many bytes of other text go before it. */
function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The characters at either end also hold bits of the neighbours.
    return text.slice(before === 0 ? 0 : before + 1, text.length - ((before + bytes.length) % 3 === 0 ? 0 : 1));
  });
}

/** Makes what takes secrets out of a text, raw, URL-encoded, in JSON or in base64. */
export function createMasker(secrets: readonly string[]): (text: string) => string {
  const spellings = secrets.flatMap((secret) => {
    const base64 = base64Of(secret).filter((text) => text.length >= 8);
    const quoted = JSON.stringify(secret).slice(1, -1);
    return [secret, quoted, encodeURIComponent(secret), encodeURI(secret), ...base64, ...base64.map(urlSafe)];
  });
  const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((masked, spelling) => masked.replaceAll(spelling, MASK), text);
}

const urlSafe = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');

/** The log of the process: JSON lines on standard error, every line freed of secrets just before it is written. */
export function createLogger(level: string, secrets: readonly string[], out: NodeJS.WritableStream = process.stderr): Logger {
  const mask = createMasker(secrets);
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => void out.write(mask(line)) },
  );
}

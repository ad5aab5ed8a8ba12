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

/** Creates the log of the process: JSON lines on standard error, with secrets masked. */
export function createLogger(level: string, secrets: readonly string[], out: NodeJS.WritableStream = process.stderr): Logger {
  const mask = createMasker(secrets);
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => void out.write(mask(line)) },
  );
}

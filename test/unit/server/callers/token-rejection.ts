import { inspect } from 'node:util';
import { GraphError } from '../../../../src/lib/errors.ts';
import type { Caller } from '../../../../src/operation/operation.ts';

/** Returns the message of the GraphError with this code that rejects a token. Throws if the error, with its cause, quotes the token. */
export async function rejectionOf(
  verify: (token: string) => Promise<Caller>,
  token: string,
  code = 'UNAUTHENTICATED',
): Promise<string> {
  const error: unknown = await verify(token).then(
    (caller) => caller,
    (reason) => reason,
  );
  if (!(error instanceof GraphError) || error.code !== code) throw new Error(`${inspect(error)} instead of ${code}`);
  const printed = inspect(error, { depth: 9, showHidden: true });
  for (const secret of secretsOf(token)) if (printed.includes(secret)) throw new Error(`${printed} contains ${secret}`);
  return error.message;
}

/** Parts of a token, and the values of its claims, that no error may contain. */
function secretsOf(token: string): string[] {
  const parts = token.split('.').filter((part) => part.length >= 12);
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  const values = [...claims.matchAll(/"(?:iss|aud|sub|notes)":\[?"([^"]{5,})"/g)].map(([, value]) => value!.slice(0, 100));
  return [...parts.flatMap((part) => [part.slice(0, 12), part.slice(-12)]), ...values];
}

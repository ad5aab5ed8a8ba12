import { isSignedBy } from './signature.ts';

/** A token that signs notifications, and the application that it belongs to; undefined for a token of any application. */
export interface AuthToken {
  readonly app: string | undefined;
  readonly token: string;
}

/** An application's name in front of its token. A base64 token may end in `=`, so `abc==` has no name. */
const NAMED_TOKEN = /^([\w.-]{1,128})=(?!=*$)(.+)$/s;

/** Parses one entry of WEBHOOK_AUTH_TOKENS: `app=token`, or a token of any application. */
export function parseAuthToken(entry: string): AuthToken {
  const [, app, token] = NAMED_TOKEN.exec(entry) ?? [];
  return app && token ? { app, token } : { app: undefined, token: entry };
}

/** Whose token has signed a body. */
export interface Signer {
  /** Undefined where only a token of any application matches. */
  readonly app: string | undefined;
}

/**
 * Finds the token that has signed a body; undefined if none has. Tries all of them, so that the time does not tell which one matched. A token of
 * an application wins over one of any application.
 */
export function findSigner(tokens: readonly AuthToken[], body: Buffer, signature: string | undefined): Signer | undefined {
  const matching = tokens.filter(({ token }) => isSignedBy(token, body, signature));
  return matching.find(({ app }) => app !== undefined) ?? matching[0];
}

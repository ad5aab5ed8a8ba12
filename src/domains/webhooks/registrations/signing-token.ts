import { randomBytes } from 'node:crypto';

/** Bytes of a token, as Standard Webhooks recommends. */
const TOKEN_BYTES = 32;

/** Creates a random token in the form of Standard Webhooks: `whsec_` and base64. */
export const createSigningToken = (): string => `whsec_${randomBytes(TOKEN_BYTES).toString('base64')}`;

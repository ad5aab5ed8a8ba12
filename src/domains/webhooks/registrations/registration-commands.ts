import { randomBytes } from 'node:crypto';
import type { CreateWebhookInput, UpdateWebhookInput } from '../../../generated/webhooks.ts';
import type { WebhookRegistration } from './model.ts';
import type { RegistrationScope, RegistrationStore } from './registration-store.ts';
import { type RegistrationRules, validateChanges, validateNewRegistration } from './validation.ts';

/** Number of bytes of a token, as Standard Webhooks recommends. */
const TOKEN_BYTES = 32;

/** Creates a random token in the form of Standard Webhooks: `whsec_` and base64. */
const createSigningToken = (): string => `whsec_${randomBytes(TOKEN_BYTES).toString('base64')}`;

/** The dependencies and limits of the commands. */
export interface RegistrationCommandSources {
  readonly registrations: RegistrationStore;
  readonly rules: RegistrationRules;
  /** MAX_WEBHOOKS. */
  readonly maxWebhooks: number;
  /** WEBHOOK_TOKEN_GRACE_HOURS. */
  readonly tokenGraceHours: number;
}

/** A registration with its token, which is shown only once. */
export type RegistrationWithToken = Awaited<ReturnType<typeof createRegistration>>;

/** Checks and stores a registration of an application, with a new token. */
export async function createRegistration(
  { registrations, rules, maxWebhooks }: RegistrationCommandSources,
  app: string,
  input: CreateWebhookInput,
) {
  const authToken = createSigningToken();
  const webhook = await registrations.create(app, validateNewRegistration(input, rules), { token: authToken, maxWebhooks });
  return { webhook, authToken };
}

/** Checks and makes changes of a registration; null if the scope does not have it. */
export async function updateRegistration(
  { registrations, rules }: RegistrationCommandSources,
  scope: RegistrationScope,
  input: UpdateWebhookInput,
): Promise<WebhookRegistration | null> {
  const registration = await registrations.find(scope, input.id);
  if (!registration) return null;
  const changes = validateChanges(input, registration, rules);
  return (await registrations.update(scope, input.id, changes, rules.maxAddresses)) ?? null;
}

/** Replaces the token of a registration; null if the scope does not have it. */
export async function rotateToken(
  { registrations, tokenGraceHours: graceHours }: RegistrationCommandSources,
  scope: RegistrationScope,
  id: string,
) {
  const authToken = createSigningToken();
  const webhook = await registrations.rotate(scope, id, { token: authToken, graceHours });
  return webhook ? { webhook, authToken } : null;
}

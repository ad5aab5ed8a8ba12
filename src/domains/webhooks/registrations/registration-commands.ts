import { randomBytes } from 'node:crypto';
import type { CreateWebhookInput, UpdateWebhookInput } from '../../../generated/webhooks.ts';
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

/** Returns the functions that change registrations of a scope. They return null if the scope does not have the registration. */
export const registrationCommands = ({ registrations, rules, maxWebhooks, tokenGraceHours }: RegistrationCommandSources) => ({
  /** Checks and stores a registration of an application, with a new token, which is shown only once. */
  async create(app: string, input: CreateWebhookInput) {
    const token = createSigningToken();
    const webhook = await registrations.create(app, validateNewRegistration(input, rules), { token, maxWebhooks });
    return { webhook, authToken: token };
  },

  /** Checks and makes changes of a registration. */
  async update(scope: RegistrationScope, input: UpdateWebhookInput) {
    const registration = await registrations.find(scope, input.id);
    if (!registration) return null;
    return registrations.update(scope, input.id, validateChanges(input, registration, rules), rules.maxAddresses);
  },

  /** Replaces the token of a registration. */
  async rotate(scope: RegistrationScope, id: string, graceHours = tokenGraceHours) {
    const token = createSigningToken();
    const webhook = await registrations.rotate(scope, id, { token, graceHours });
    return webhook ? { webhook, authToken: token } : null;
  },
});

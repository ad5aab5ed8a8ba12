import type { Logger } from 'pino';
import type { CreateWebhookInput } from '../../../generated/webhooks.ts';
import { abortableSleep } from '../../../lib/abort.ts';
import { GraphError } from '../../../lib/errors.ts';
import { type RegistrationCommandSources, registrationCommands } from './registration-commands.ts';

const RETRY_INTERVAL_MS = 1_000;
/** Maximum number of registrations of the receiver's application that are read; the application has fewer. */
const MAX_READ = 100;

/** A receiver of registered webhooks inside the embedded network. */
export interface EmbeddedWebhookReceiver {
  /** Webhooks may be sent to exactly this URL although its address is private. */
  readonly url: string;
  /** Application that owns the webhooks. */
  readonly app: string;
  /** The webhooks to register, one of each type, with the fields of the mutation but the URL. */
  readonly requests: readonly Omit<CreateWebhookInput, 'url'>[];
  /** Call it with each registered webhook and its token: the receiver rejects other deliveries. */
  accept(webhook: { readonly id: string; readonly type: string; readonly token: string }): void;
}

/**
 * Registers the webhooks of the embedded receiver in the background, once the database responds, through the functions
 * of the mutations. A restored database already has the webhooks; they get the receiver's new URL and a new token.
 * Registers nothing if `databaseUrl` rejects.
 */
export function startEmbeddedWebhooks(
  receiver: EmbeddedWebhookReceiver,
  databaseUrl: Promise<string>,
  sources: RegistrationCommandSources,
  log: Logger,
) {
  const stopping = new AbortController();
  const registerUntilDone = async (): Promise<void> => {
    // The log already contains the failed start.
    if (!(await databaseUrl.then(Boolean, () => false))) return;
    while (!stopping.signal.aborted) {
      try {
        return await registerWebhooks(receiver, sources);
      } catch (err) {
        if (!(err instanceof GraphError && err.code === 'STORE_UNAVAILABLE'))
          return log.warn({ err }, 'the webhooks of the embedded receiver cannot be registered');
        await abortableSleep(RETRY_INTERVAL_MS, stopping.signal);
      }
    }
  };
  void registerUntilDone();
  return { stop: (): void => stopping.abort() };
}

/** Registers each webhook that the application of the receiver does not have. A repeat after a failure has no further effect. */
async function registerWebhooks({ app, url, requests, accept }: EmbeddedWebhookReceiver, sources: RegistrationCommandSources) {
  const commands = registrationCommands(sources);
  const stored = (await sources.registrations.list(app, { limit: MAX_READ })) ?? [];
  for (const request of requests) {
    const existing = stored.find(({ type }) => type === request.type);
    if (existing) await commands.update(app, { id: existing.id, url });
    const registered = await (existing ? commands.rotate(app, existing.id, 0) : commands.create(app, { ...request, url }));
    // Null if a caller has deleted it meanwhile.
    if (registered) accept({ id: registered.webhook.id, type: request.type, token: registered.authToken });
  }
}

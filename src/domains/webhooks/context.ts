import type { WebhookLoaders } from './loaders/index.ts';

/** The part of an operation's context that webhook resolvers use. */
export interface WebhooksContext {
  readonly webhooks: WebhookLoaders;
}

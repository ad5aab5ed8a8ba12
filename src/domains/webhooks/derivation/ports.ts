import type { Data } from '../../../ethereum/hex.ts';
import type { NewDelivery } from '../delivery/jobs.ts';
import type { WebhookRegistration } from '../registrations/model.ts';
import type { Query } from '../store/statements.ts';
import type { RegistrationGroup } from './derived-notification.ts';

/** The registrations that the deriver reads, inside of its transactions. */
export interface ActiveRegistrations {
  /** The active registrations but GAS_PRICE of an application, or of all, that contain any of these lower-case addresses. */
  activeFor(query: Query, addresses: readonly Data[], app?: string): Promise<readonly RegistrationGroup[]>;
  /** The applications with active registrations but GAS_PRICE. */
  activeApps(query: Query): Promise<readonly string[]>;
  gasPriceRegistrations(query: Query): Promise<readonly WebhookRegistration[]>;
  allActive(query: Query): Promise<readonly WebhookRegistration[]>;
}

/** Stores deliveries with their jobs in the caller's transaction; does nothing for an id that exists. */
export type AddDeliveries = (query: Query, deliveries: readonly NewDelivery[]) => Promise<void>;

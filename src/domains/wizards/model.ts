import type { Data, Quantity } from '../../ethereum/hex.ts';
import type { Affinity } from '../../generated/wizards.ts';
import type { RelayConnection, RelayEdge } from '../../graphql/connections.ts';
import { GraphError } from '../../lib/errors.ts';

/** Key of an `Account` that another domain resolves: its address and the block of its state. */
export interface WizardsAccountKey {
  readonly address: Data;
  /** A block hash, a height as 0x-hex or a block tag; null is the operation's block. */
  readonly _at?: string | null;
}

/** Key of a `Block` that the chain domain resolves. */
export interface BlockKey {
  readonly number: Quantity;
}

/** A decimal integer of any size, without leading zeros. */
export type Power = string;

/** A wizard in its current state, decoded from the wizard service. */
export interface Wizard {
  readonly id: string;
  readonly ownerAddress: Data;
  readonly affinity: Affinity;
  readonly initialPower: Power;
  readonly power: Power;
  readonly createdBlockNumber: Quantity;
  /** Null while the wizard is alive. */
  readonly eliminatedBlockNumber: Quantity | null;
}

/** A duel in its current state, decoded from the wizard service. A field is null if the service omits it or the duel is in progress. */
export interface Duel {
  readonly id: string;
  readonly wizard1Id: string;
  readonly wizard2Id: string;
  readonly affinity1: Affinity;
  readonly affinity2: Affinity;
  readonly startPower1: Power | null;
  readonly startPower2: Power | null;
  readonly endPower1: Power | null;
  readonly endPower2: Power | null;
  readonly moveSet1: Data | null;
  readonly moveSet2: Data | null;
  readonly startBlockNumber: Quantity;
  readonly endBlockNumber: Quantity | null;
  readonly timeoutBlockNumber: Quantity | null;
  readonly timedOut: boolean | null;
  readonly isAscensionBattle: boolean | null;
}

/** The error UPSTREAM_BAD_RESPONSE for a response of the wizard service. */
export const invalidServiceResponse = (message: string): GraphError =>
  new GraphError('UPSTREAM_BAD_RESPONSE', `The wizard service sent ${message}.`, { source: 'wizard' });

/** An entry of a response that could not be decoded, with its readable fields. In lists it becomes null with an error. */
export class InvalidEntry<T> {
  readonly partial: Partial<T>;
  readonly #description: string;

  constructor(partial: Partial<T>, description: string) {
    this.partial = partial;
    this.#description = description;
  }

  /** Created on access: a list may have very many invalid entries, and a page returns few of them. */
  get error(): GraphError {
    return invalidServiceResponse(this.#description);
  }
}

/** A decoded entry of a response, valid or not. */
export type ServiceEntry<T> = T | InvalidEntry<T>;

/** The fields of an entry that could be decoded. */
export const readableFields = <T>(entry: ServiceEntry<T>): Partial<T> => (entry instanceof InvalidEntry ? entry.partial : entry);

/** The entry, or the error of an invalid entry. */
export const entryOrError = <T>(entry: ServiceEntry<T>): T | GraphError => (entry instanceof InvalidEntry ? entry.error : entry);

export type WizardPage = RelayConnection<Wizard>;
export type DuelPage = RelayConnection<Duel>;
export type WizardEdge = RelayEdge<Wizard>;
export type DuelEdge = RelayEdge<Duel>;

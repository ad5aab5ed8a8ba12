import type { Data } from '../../ethereum/hex.ts';
import type { Account, Block, Duel as DuelFields, Wizard as WizardFields } from '../../generated/wizards.ts';
import type { RelayConnection, RelayEdge } from '../../graphql/connections.ts';
import { GraphError } from '../../lib/errors.ts';

/**
 * Key of an `Account` that another domain resolves: its address and the block of its state (a block hash, a height as 0x-hex or a block tag; null is the
 * operation's block).
 */
export type WizardsAccountKey = Pick<Account, '_at' | 'address'>;

/** Key of a `Block` that the chain domain resolves. */
export type BlockKey = Pick<Block, 'number'>;

/** A decimal integer of any size, without leading zeros. */
export type Power = string;

type WizardLinks = 'activeDuel' | 'createdBlock' | 'duels' | 'eliminatedBlock' | 'owner' | 'powerChange' | 'record' | 'status';

/** A wizard in its current state, decoded from the wizard service. `eliminatedBlockNumber` is null while the wizard is alive. */
export type Wizard = Required<Omit<WizardFields, WizardLinks>> & { readonly ownerAddress: Data };

type DuelLinks = 'endBlock' | 'rounds' | 'startBlock' | 'status' | 'timeoutBlock' | 'winner' | 'wizard1' | 'wizard2';

/** A duel in its current state, decoded from the wizard service. A field is null if the service omits it or the duel is in progress. */
export type Duel = Required<Omit<DuelFields, DuelLinks | 'powerChange1' | 'powerChange2'>>;

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

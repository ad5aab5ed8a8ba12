import { GraphError } from '../../errors.ts';
import type { Data, Quantity } from '../../ethereum/hex.ts';
import type { Affinity } from '../../generated/wizards.ts';
import type { RelayConnection, RelayEdge } from '../../graphql/connections.ts';

/** An account as it crosses a border: its address, and the block of its state. */
export interface WizardsAccountKey {
  readonly address: Data;
  /** Null: the operation's block. Else a hash, a 0x-height or a tag. */
  readonly _at?: string | null;
}

/** A block as it crosses a border. */
export interface BlockKey {
  readonly number: Quantity;
}

/** An integer in base 10, without leading zeros, of any size. */
export type Power = string;

/** A wizard as the service has it now, whatever it calls the fields. */
export interface Wizard {
  readonly id: string;
  readonly ownerAddress: Data;
  readonly affinity: Affinity;
  readonly initialPower: Power;
  readonly power: Power;
  readonly createdBlockNumber: Quantity;
  /** Null while it is alive. */
  readonly eliminatedBlockNumber: Quantity | null;
}

/** A duel as the service has it now. What is null here the service has not told, or it is still in progress. */
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

/** A wizard of which its id is all that is known; the plan makes sure that nothing else is asked of it. */
export const partialWizard = (id: string): Wizard => ({ id }) as Wizard;
/** The same of a duel. */
export const partialDuel = (id: string): Duel => ({ id }) as Duel;

/** An error about what the service has sent. */
export const invalidServiceResponse = (message: string): GraphError =>
  new GraphError('UPSTREAM_BAD_RESPONSE', `The wizard service sent ${message}.`, { source: 'wizard' });

/** An entry of the service that cannot be used, with what can be read of it: it keeps its place in lists, as an error. */
export class InvalidEntry<T> {
  readonly partial: Partial<T>;
  readonly #description: string;

  constructor(part: Partial<T>, what: string) {
    this.partial = part;
    this.#description = what;
  }

  /** Made when it is shown: a page shows few of what may be very many, and an error is dear. */
  get error(): GraphError {
    return invalidServiceResponse(this.#description);
  }
}

/** An entry as the service has told it. */
export type ServiceEntry<T> = T | InvalidEntry<T>;

/** What can be read of an entry. */
export const readableFields = <T>(told: ServiceEntry<T>): Partial<T> => (told instanceof InvalidEntry ? told.partial : told);

/** An entry, or the error in its place. */
export const entryOrError = <T>(told: ServiceEntry<T>): T | GraphError => (told instanceof InvalidEntry ? told.error : told);

export type WizardPage = RelayConnection<Wizard>;
export type DuelPage = RelayConnection<Duel>;
export type WizardEdge = RelayEdge<Wizard>;
export type DuelEdge = RelayEdge<Duel>;

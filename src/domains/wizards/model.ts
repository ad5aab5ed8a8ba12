import { GraphError } from '../../errors.ts';
import type { Data, Quantity } from '../../ethereum/hex.ts';
import type { Affinity } from '../../generated/wizards.ts';
import type { Connection, Edge } from '../../graphql/connections.ts';

/** An account as it crosses a border: its address, and the block of its state. */
export interface AccountKey {
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
export const wizardPart = (id: string): Wizard => ({ id }) as Wizard;
/** The same of a duel. */
export const duelPart = (id: string): Duel => ({ id }) as Duel;

/** An error about what the service has sent. */
export const badResponse = (message: string): GraphError =>
  new GraphError('UPSTREAM_BAD_RESPONSE', `The wizard service sent ${message}.`, { source: 'wizard' });

/** An entry of the service that cannot be used, with what can be read of it: it keeps its place in lists, as an error. */
export class Malformed<T> {
  readonly part: Partial<T>;
  readonly #what: string;

  constructor(part: Partial<T>, what: string) {
    this.part = part;
    this.#what = what;
  }

  /** Made when it is shown: a page shows few of what may be very many, and an error is dear. */
  get error(): GraphError {
    return badResponse(this.#what);
  }
}

/** An entry as the service has told it. */
export type Told<T> = T | Malformed<T>;

/** What can be read of an entry. */
export const readable = <T>(told: Told<T>): Partial<T> => (told instanceof Malformed ? told.part : told);

/** An entry, or the error in its place. */
export const shown = <T>(told: Told<T>): T | GraphError => (told instanceof Malformed ? told.error : told);

export type WizardPage = Connection<Wizard>;
export type DuelPage = Connection<Duel>;
export type WizardEdge = Edge<Wizard>;
export type DuelEdge = Edge<Duel>;

import type { RandomChoices } from '../random-choices.ts';
import { BODIES } from './bodies.ts';

/** One request of the sender. */
export interface Delivery {
  /** The fact that the body states. Deliveries of one fact become one event. */
  readonly fact: string;
  readonly body: string;
}

/** Adds white space of a delivery in another spelling. */
const INDENTS = [1, 2, '\t'] as const;

/** Share of the deliveries that repeat the fact of another delivery. */
const REPEATED = 0.4;

/** Creates `count` deliveries in random order. Some deliveries state one fact, in equal or in different bytes. */
export function createDeliveries(draw: RandomChoices, count: number): Delivery[] {
  const facts = Math.ceil(count * (1 - REPEATED));
  const first = draw.many(facts, (index) => createBody(draw, index));
  const repeats = draw.many(count - facts, () => repeat(draw, draw.pick(first)));
  return shuffle(draw, [...first.map(toDelivery), ...repeats]);
}

interface FactBody {
  readonly fact: string;
  readonly body: object;
}

const toDelivery = ({ fact, body }: FactBody): Delivery => ({ fact, body: JSON.stringify(body) });

function repeat(draw: RandomChoices, { fact, body }: FactBody): Delivery {
  if (draw.chance(0.5)) return toDelivery({ fact, body });
  const reordered = Object.fromEntries(Object.entries(body).reverse());
  return { fact, body: JSON.stringify(draw.chance(0.5) ? reordered : body, null, draw.pick(INDENTS)) };
}

/** A body of a random type whose fact is its own: the hash has the index. */
function createBody(draw: RandomChoices, index: number): FactBody {
  const hash = `0x${index.toString(16).padStart(64, '0')}`;
  switch (draw.below(3)) {
    case 0: {
      const { DROPPED_TRANSACTION: body } = BODIES;
      return { fact: `DROPPED_TRANSACTION ${hash}`, body: { ...body, hash, fullTransaction: { ...body.fullTransaction, hash } } };
    }
    case 1: {
      const { ADDRESS_ACTIVITY: body } = BODIES;
      return { fact: `ADDRESS_ACTIVITY ${hash}`, body: { ...body, activity: [{ ...body.activity[0], hash }] } };
    }
    default: {
      const { MINED_TRANSACTION: body } = BODIES;
      return { fact: `MINED_TRANSACTION ${hash}`, body: { ...body, fullTransaction: { ...body.fullTransaction, hash } } };
    }
  }
}

/** Selects the values of an event that `factOf` needs. */
export const FACT_FIELDS = `id type
  ... on MinedTransactionEvent { hash }
  ... on DroppedTransactionEvent { hash }
  ... on AddressActivityEvent { activity { hash: transactionHash } }`;

/** Returns the fact of an event of the graph. */
export const factOf = ({ type, hash, activity }: { type: string; hash?: string; activity?: { hash: string }[] }): string =>
  `${type} ${hash ?? activity![0]!.hash}`;

function shuffle<T>(draw: RandomChoices, items: T[]): T[] {
  for (let end = items.length - 1; end > 0; end--) {
    const other = draw.below(end + 1);
    [items[end], items[other]] = [items[other]!, items[end]!];
  }
  return items;
}

import type { DuelOrder, WizardOrder } from '../../generated/wizards.ts';
import { compareNatural, type Order, type PageArgs, type Position, pageOf } from '../../graphql/connections.ts';
import { type Duel, type DuelPage, Malformed, shown, type Told, type Wizard, type WizardPage } from './model.ts';

/** Compares part by part, and what is sound in a direction. */
const compare = (a: Position, b: Position, direction: 1 | -1): number => {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = compareNatural(a[i], b[i]);
    if (difference !== 0) return i > 0 && a[0] === '0' ? difference * direction : difference;
  }
  return 0;
};

/** What is malformed comes last, in the order in which the service sends it. */
const order = <T>(
  name: string,
  positionOf: (item: T) => Position,
  direction: 1 | -1,
  told: readonly Told<T>[],
): Order<Told<T>> => {
  const places = new Map(told.filter((one) => one instanceof Malformed).map((one, i) => [one as Told<T>, String(i)]));
  return {
    name,
    positionOf: (one) => (one instanceof Malformed ? ['1', places.get(one)!] : ['0', ...positionOf(one)]),
    compare: (a, b) => compare(a, b, direction),
  };
};

const WIZARD_ORDERS: Readonly<Record<WizardOrder, readonly [(wizard: Wizard) => Position, 1 | -1]>> = {
  ID_ASC: [({ id }) => [id], 1],
  ID_DESC: [({ id }) => [id], -1],
  POWER_ASC: [({ power, id }) => [power, id], 1],
  POWER_DESC: [({ power, id }) => [power, id], -1],
};

const byStart = ({ startBlockNumber, id }: Duel): Position => [BigInt(startBlockNumber).toString(), id];

const DUEL_ORDERS: Readonly<Record<DuelOrder, 1 | -1>> = { START_BLOCK_ASC: 1, START_BLOCK_DESC: -1 };

type Ordered<O> = PageArgs & { readonly orderBy?: O | null | undefined };

/** A page of wizards. Throws BAD_USER_INPUT as `pageOf`. */
export function wizardPage(wizards: readonly Told<Wizard>[], args: Ordered<WizardOrder>): WizardPage {
  const name = args.orderBy ?? 'ID_ASC';
  return pageOf<Told<Wizard>>(wizards, order(name, ...WIZARD_ORDERS[name], wizards), args, shown) as WizardPage;
}

/** A page of duels. Throws BAD_USER_INPUT as `pageOf`. */
export function duelPage(duels: readonly Told<Duel>[], args: Ordered<DuelOrder>): DuelPage {
  const name = args.orderBy ?? 'START_BLOCK_ASC';
  return pageOf<Told<Duel>>(duels, order(name, byStart, DUEL_ORDERS[name], duels), args, shown) as DuelPage;
}

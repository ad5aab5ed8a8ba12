import type { DuelOrder, WizardOrder } from '../../generated/wizards.ts';
import { compareNatural, type ListOrder, type ListPosition, type PageArgs, paginate } from '../../graphql/connections.ts';
import {
  type Duel,
  type DuelPage,
  entryOrError,
  InvalidEntry,
  type ServiceEntry,
  type Wizard,
  type WizardPage,
} from './model.ts';

/** Compares positions part by part. Valid entries (first part '0') are ordered by `direction`, invalid ones always ascending. */
const comparePositions = (a: ListPosition, b: ListPosition, direction: 1 | -1): number => {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = compareNatural(a[i], b[i]);
    if (difference !== 0) return i > 0 && a[0] === '0' ? difference * direction : difference;
  }
  return 0;
};

/** Invalid entries come last, in the order of the response. */
const createOrder = <T>(
  name: string,
  positionOf: (item: T) => ListPosition,
  direction: 1 | -1,
  entries: readonly ServiceEntry<T>[],
): ListOrder<ServiceEntry<T>> => {
  const invalidIndexes = new Map(
    entries.filter((entry) => entry instanceof InvalidEntry).map((entry, i) => [entry as ServiceEntry<T>, String(i)]),
  );
  return {
    name,
    positionOf: (entry) => (entry instanceof InvalidEntry ? ['1', invalidIndexes.get(entry)!] : ['0', ...positionOf(entry)]),
    compare: (a, b) => comparePositions(a, b, direction),
  };
};

const WIZARD_ORDERS: Readonly<Record<WizardOrder, readonly [(wizard: Wizard) => ListPosition, 1 | -1]>> = {
  ID_ASC: [({ id }) => [id], 1],
  ID_DESC: [({ id }) => [id], -1],
  POWER_ASC: [({ power, id }) => [power, id], 1],
  POWER_DESC: [({ power, id }) => [power, id], -1],
};

const duelPosition = ({ startBlockNumber, id }: Duel): ListPosition => [BigInt(startBlockNumber).toString(), id];

const DUEL_ORDERS: Readonly<Record<DuelOrder, 1 | -1>> = { START_BLOCK_ASC: 1, START_BLOCK_DESC: -1 };

type OrderedPageArgs<O> = PageArgs & { readonly orderBy?: O | null | undefined };

/** A page of wizards. Throws BAD_USER_INPUT as `paginate` does. */
export function wizardPage(wizards: readonly ServiceEntry<Wizard>[], args: OrderedPageArgs<WizardOrder>): WizardPage {
  const name = args.orderBy ?? 'ID_ASC';
  return paginate<ServiceEntry<Wizard>>(
    wizards,
    createOrder(name, ...WIZARD_ORDERS[name], wizards),
    args,
    entryOrError,
  ) as WizardPage;
}

/** A page of duels. Throws BAD_USER_INPUT as `paginate` does. */
export function duelPage(duels: readonly ServiceEntry<Duel>[], args: OrderedPageArgs<DuelOrder>): DuelPage {
  const name = args.orderBy ?? 'START_BLOCK_ASC';
  return paginate<ServiceEntry<Duel>>(
    duels,
    createOrder(name, duelPosition, DUEL_ORDERS[name], duels),
    args,
    entryOrError,
  ) as DuelPage;
}

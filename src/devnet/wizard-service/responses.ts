import type { WizardFaults } from './faults.ts';
import type { ServedDuel, ServedWizard } from './tournament-index.ts';

/** The revisions of the interface and the liberties of its servers that a client may meet. */
export type Dialect = Pick<WizardFaults, 'oldNames' | 'bareArrays' | 'numbersAsStrings'>;

/** A wizard's JSON: the document's object as it is, unless a fault wants it otherwise. */
export function wizardJson(wizard: ServedWizard, dialect: Dialect): unknown {
  if (!dialect.oldNames) return formatNumbers(wizard, dialect);
  const { initialPower, ...rest } = wizard;
  return formatNumbers({ ...rest, startingPower: initialPower }, dialect);
}

/** The same for a duel. The document names five of the earlier revision's fields, and says that it had fewer; which ones is ours. */
export function duelJson(duel: ServedDuel, dialect: Dialect): unknown {
  if (!dialect.oldNames) return formatNumbers(duel, dialect);
  const { id, wizard1Id, wizard2Id, affinity1, affinity2, startPower1, startPower2, startBlock, endBlock, timeoutBlock } = duel;
  const names = { duelId: id, wiz1Id: wizard1Id, wiz2Id: wizard2Id, power1: startPower1, power2: startPower2 };
  return formatNumbers({ ...names, affinity1, affinity2, startBlock, endBlock, timeoutBlock }, dialect);
}

/** A list in the document's envelope, or without it. */
export function wizardsJson(list: readonly ServedWizard[], dialect: Dialect): unknown {
  const wizards = list.map((wizard) => wizardJson(wizard, dialect));
  return dialect.bareArrays ? wizards : { wizards };
}

export function duelsJson(list: readonly ServedDuel[], dialect: Dialect): unknown {
  const duels = list.map((duel) => duelJson(duel, dialect));
  return dialect.bareArrays ? duels : { duels };
}

const formatNumbers = (entity: object, { numbersAsStrings }: Dialect): unknown =>
  numbersAsStrings
    ? Object.fromEntries(Object.entries(entity).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]))
    : entity;

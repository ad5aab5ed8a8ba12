import type { WizardFaults } from './faults.ts';
import type { ServedDuel, ServedWizard } from './served-entities.ts';

/** Variants of the interface that a client may meet. */
export type Dialect = Pick<WizardFaults, 'oldNames' | 'bareArrays' | 'numbersAsStrings'>;

/** The documented JSON of a wizard, or a variant of it. */
export function wizardJson(wizard: ServedWizard, dialect: Dialect): unknown {
  if (!dialect.oldNames) return formatNumbers(wizard, dialect);
  const { initialPower, ...rest } = wizard;
  return formatNumbers({ ...rest, startingPower: initialPower }, dialect);
}

/** The documented JSON of a duel, or a variant. The description names five fields of the earlier revision and does not list the missing ones. */
export function duelJson(duel: ServedDuel, dialect: Dialect): unknown {
  if (!dialect.oldNames) return formatNumbers(duel, dialect);
  const { id, wizard1Id, wizard2Id, affinity1, affinity2, startPower1, startPower2, startBlock, endBlock, timeoutBlock } = duel;
  const names = { duelId: id, wiz1Id: wizard1Id, wiz2Id: wizard2Id, power1: startPower1, power2: startPower2 };
  return formatNumbers({ ...names, affinity1, affinity2, startBlock, endBlock, timeoutBlock }, dialect);
}

/** A list in its documented object, or as a bare array. */
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

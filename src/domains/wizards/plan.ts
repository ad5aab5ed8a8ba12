import { memoizePerSelection, selectionOf } from '../../graphql/selection.ts';

/** Fields that are resolved from the id alone, without a GET of the wizard. */
const WIZARD_ID_FIELDS: ReadonlySet<string> = new Set(['id', 'duels', 'activeDuel', 'record']);
/** Fields that are resolved from the id alone, without a GET of the duel. */
const DUEL_ID_FIELDS: ReadonlySet<string> = new Set(['id']);

/** Whether every selected field of a wizard can be resolved from its id. */
export const isWizardIdSufficient = memoizePerSelection((info) => selectionOf(info).hasOnly(WIZARD_ID_FIELDS));
/** Whether every selected field of a duel can be resolved from its id. */
export const isDuelIdSufficient = memoizePerSelection((info) => selectionOf(info).hasOnly(DUEL_ID_FIELDS));

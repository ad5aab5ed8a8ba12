import { memoizePerSelection, selectionOf } from '../../graphql/selection.ts';

/** The selection decides the calls: of what is named by its id, the service is asked only where more is selected than that answers. */

const WIZARD_ID_FIELDS: ReadonlySet<string> = new Set(['id', 'duels', 'activeDuel', 'record']);
const DUEL_ID_FIELDS: ReadonlySet<string> = new Set(['id']);

/** Whether the id answers all that is selected of a wizard. */
export const isWizardIdSufficient = memoizePerSelection((info) => selectionOf(info).hasOnly(WIZARD_ID_FIELDS));
/** Whether the id answers all that is selected of a duel. */
export const isDuelIdSufficient = memoizePerSelection((info) => selectionOf(info).hasOnly(DUEL_ID_FIELDS));

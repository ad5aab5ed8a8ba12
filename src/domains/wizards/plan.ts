import { once, selectionOf } from '../../graphql/selection.ts';

/** The selection decides the calls: of what is named by its id, the service is asked only where more is selected than that answers. */

const BY_WIZARD_ID: ReadonlySet<string> = new Set(['id', 'duels', 'activeDuel', 'record']);
const BY_DUEL_ID: ReadonlySet<string> = new Set(['id']);

/** Whether the id answers all that is selected of a wizard. */
export const isWizardKnown = once((info) => selectionOf(info).within(BY_WIZARD_ID));
/** Whether the id answers all that is selected of a duel. */
export const isDuelKnown = once((info) => selectionOf(info).within(BY_DUEL_ID));

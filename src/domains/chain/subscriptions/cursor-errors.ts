import { GraphError } from '../../../lib/errors.ts';

/** CURSOR_EXPIRED: the events after a cursor cannot be replayed, because `block` is no longer cached. */
export const cursorExpiredError = (block: string) =>
  new GraphError(
    'CURSOR_EXPIRED',
    `${block} is no longer cached, so the missed events cannot be replayed. Query the current state, then subscribe without \`after\`.`,
  );

/** UPSTREAM_UNAVAILABLE: no head is known yet, so missed events cannot be determined. */
export const unknownHeadError = () =>
  new GraphError('UPSTREAM_UNAVAILABLE', 'The head of the chain is not known yet. Subscribe again in a moment.');

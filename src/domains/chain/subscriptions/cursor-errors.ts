import { GraphError } from '../../../errors.ts';

/** There is no way on from behind something that is not remembered. */
export const cursorExpiredError = (what: string) =>
  new GraphError(
    'CURSOR_EXPIRED',
    `${what} is not remembered here, so what came after it cannot be told. Ask for the present state by a query, and subscribe without \`after\`.`,
  );

/** Before a first head nobody can say what has been missed. */
export const unknownHeadError = () =>
  new GraphError('UPSTREAM_UNAVAILABLE', 'The head of the chain is not known yet; subscribe again in a moment.');

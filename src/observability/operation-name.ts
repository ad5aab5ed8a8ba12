import type { OperationDefinitionNode } from 'graphql';

/** Maximum length of an operation name in metrics, log lines and spans. A client chooses it, up to the size of a request. */
export const MAX_NAME_LENGTH = 64;

/** Returns the first 64 characters of an operation's name; undefined for an anonymous and for an unknown operation. */
export const observedName = (definition: Pick<OperationDefinitionNode, 'name'> | undefined): string | undefined =>
  definition?.name?.value.slice(0, MAX_NAME_LENGTH);

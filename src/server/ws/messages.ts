import { MessageType, parseMessage, stringifyMessage } from 'graphql-ws';
import type { GraphRequest } from '../../operation/prepare.ts';

/** Maximum length of an operation id, which every message of the operation repeats; ids of common clients have about 40 characters. */
const MAX_OPERATION_ID_LENGTH = 128;

/** A message of a client, split into the request and the text that graphql-ws gets. */
export interface ClientMessage {
  /** The message for graphql-ws, which retains it while the operation runs: without variables, and with an empty query. */
  readonly text: string;
  /** The request of a `subscribe` message, with its operation id. */
  readonly subscribe?: { readonly id: string; readonly request: GraphRequest };
  /** The payload of a `connection_init` message; graphql-ws would retain it while the connection is open. */
  readonly connectionParams?: Readonly<Record<string, unknown>> | undefined;
}

/** A message that closes the connection with 4400. */
export class InvalidMessageError extends Error {
  override readonly name = 'InvalidMessageError';
}

/** Parses a message that a client may send. Throws InvalidMessageError, with a message where the default close reason is too vague. */
export function parseClientMessage(data: string): ClientMessage {
  const message = parse(data);
  switch (message.type) {
    case MessageType.Subscribe: {
      const { id, payload } = message;
      if (id.length > MAX_OPERATION_ID_LENGTH)
        throw new InvalidMessageError(`Invalid operation id. Send at most ${MAX_OPERATION_ID_LENGTH} characters.`);
      const { query, operationName, variables, extensions } = payload;
      const request = {
        query,
        operationName: operationName ?? undefined,
        variables: variables ?? undefined,
        extensions: extensions ?? undefined,
      };
      return {
        text: stringifyMessage<MessageType.Subscribe>({ id, type: message.type, payload: { query: '' } }),
        subscribe: { id, request },
      };
    }
    case MessageType.ConnectionInit:
      return { text: JSON.stringify({ type: message.type }), connectionParams: message.payload ?? undefined };
    case MessageType.Ping:
    case MessageType.Pong:
      return { text: JSON.stringify({ type: message.type }) };
    case MessageType.Complete:
      return { text: JSON.stringify({ id: message.id, type: message.type }) };
    default:
      throw new InvalidMessageError();
  }
}

function parse(data: string): ReturnType<typeof parseMessage> {
  try {
    return parseMessage(data);
  } catch (cause) {
    throw new InvalidMessageError(undefined, { cause });
  }
}

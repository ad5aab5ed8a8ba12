import { GraphError } from '../lib/errors.ts';

// biome-ignore lint/suspicious/noExplicitAny: each handler has its own parameters.
type Handlers = Record<string, (...args: any[]) => unknown>;

/** The end of the inter-process connection that Node creates for a child process. */
interface ProcessPort {
  send?(message: unknown, ...rest: [undefined, undefined, (error: Error | null) => void]): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** A call of a handler, or the reply to one. Errors are `EncodedError`. */
type Message =
  | { readonly name: string; readonly args: readonly unknown[]; readonly id?: number }
  | { readonly reply: number; readonly value: unknown }
  | { readonly reply: number; readonly error: EncodedError };

type OnReply = (value: unknown, error: GraphError | undefined) => void;

/**
 * Calls between the primary process and a worker, as JSON: `undefined` in a list becomes null. All messages of a turn
 * are sent together, in order, because each write to the connection takes about 20 microseconds.
 */
export class Channel<Remote extends Handlers> {
  readonly #port: ProcessPort;
  readonly #handlers: Handlers;
  readonly #replies = new Map<number, OnReply>();
  #outgoing: Message[] = [];
  #lastId = 0;
  #closeError: GraphError | undefined;

  constructor(port: ProcessPort, handlers: Handlers) {
    this.#port = port;
    this.#handlers = handlers;
    port.on('message', (messages) => {
      // Libraries may send other messages over the connection. Messages of a process that has ended may arrive late:
      // its counts, for example, would never be removed.
      if (Array.isArray(messages) && !this.#closeError) for (const message of messages as Message[]) this.#receive(message);
    });
  }

  /** Calls a handler of the other process and passes its result to `onReply`, in the order of the messages. */
  call<Name extends keyof Remote & string>(
    name: Name,
    args: Parameters<Remote[Name]>,
    onReply: (value: Awaited<ReturnType<Remote[Name]>>, error: GraphError | undefined) => void,
  ): void {
    if (this.#closeError) return void onReply(undefined as never, this.#closeError);
    const id = ++this.#lastId;
    this.#replies.set(id, onReply as OnReply);
    this.#queue({ name, args, id });
  }

  /** Variant of `call` with a promise. */
  request<Name extends keyof Remote & string>(
    name: Name,
    ...args: Parameters<Remote[Name]>
  ): Promise<Awaited<ReturnType<Remote[Name]>>> {
    return new Promise((resolve, reject) => {
      this.call(name, args, (value, error) => (error ? reject(error) : resolve(value)));
    });
  }

  /** Calls a handler of the other process, whose result is dropped. */
  send<Name extends keyof Remote & string>(name: Name, ...args: Parameters<Remote[Name]>): void {
    if (!this.#closeError) this.#queue({ name, args });
  }

  /** The calls of the handlers of one chain, `default` or an id. */
  ofChain<ChainRemote extends Handlers>(chain: string): ChainChannel<ChainRemote> {
    const nameOf = (name: string) => `${name} ${chain}` as never;
    return {
      call: (name, args, onReply) => this.call(nameOf(name), args as never, onReply as never),
      request: (name, ...args) => this.request(nameOf(name), ...(args as never)) as never,
      send: (name, ...args) => this.send(nameOf(name), ...(args as never)),
    };
  }

  /** Ends all calls with this error. */
  close(error: GraphError): void {
    this.#closeError ??= error;
    const replies = [...this.#replies.values()];
    this.#replies.clear();
    for (const onReply of replies) onReply(undefined, error);
  }

  #queue(message: Message): void {
    if (this.#outgoing.push(message) > 1) return;
    setImmediate(() => {
      const messages = this.#outgoing;
      this.#outgoing = [];
      // A process that has ended is noticed by its `exit` or `disconnect` event.
      this.#port.send?.(messages, undefined, undefined, () => {});
    });
  }

  #receive(message: Message): void {
    if ('name' in message) return void this.#handle(message);
    const onReply = this.#replies.get(message.reply);
    this.#replies.delete(message.reply);
    if ('error' in message) onReply?.(undefined, decodeError(message.error));
    else onReply?.(message.value, undefined);
  }

  async #handle({ name, args, id }: Extract<Message, { name: string }>): Promise<void> {
    try {
      const result = this.#handlers[name]!(...args);
      const value = result instanceof Promise ? await result : result;
      if (id !== undefined) this.#queue({ reply: id, value });
    } catch (error) {
      if (id === undefined) throw error;
      this.#queue({ reply: id, error: encodeError(error) });
    }
  }
}

/** The name of the default chain on a channel; the others have their ids. */
export const DEFAULT_CHAIN = 'default';

/** The calls of one chain on a channel that all chains share. */
export type ChainChannel<Remote extends Handlers> = Pick<Channel<Remote>, 'call' | 'request' | 'send'>;

/** The handlers of one chain under their names on the channel. */
export const handlersOfChain = (chain: string, handlers: Handlers): Handlers =>
  Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [`${name} ${chain}`, handler]));

/** A GraphError as a message contains it. */
export type EncodedError = Pick<GraphError, 'code' | 'message' | 'extensions' | 'endpoint'>;

/** Converts an error for a message. The other process does not see an unexpected error, which is reported where it occurred. */
export function encodeError(error: unknown): EncodedError {
  const known = error instanceof GraphError ? error : new GraphError('INTERNAL_SERVER_ERROR', 'Another process has failed.');
  const { code, message, extensions, endpoint } = known;
  return { code, message, extensions, endpoint };
}

export const decodeError = ({ code, message, extensions, endpoint }: EncodedError): GraphError =>
  new GraphError(code, message, { ...extensions, endpoint });

/** The block that a result belongs to: the result is valid while that block is canonical. */
export interface BlockPointer {
  readonly number: string;
  readonly hash: string;
}

/** One JSON-RPC method: its name, the encoder of its parameters, the reader of its result. */
export interface RpcMethod<P extends readonly unknown[], R> {
  /** A function if the arguments select one of several methods, such as a block by number or by hash. */
  readonly name: string | ((...args: P) => string);
  /** Converts the arguments to parameters; without it the arguments are the parameters. */
  readonly params?: (...args: P) => readonly unknown[];
  /** Throws UPSTREAM_BAD_RESPONSE for a result of another shape, and for one that does not fit the arguments. */
  readonly read: (result: unknown, ...args: P) => R;
  /** See `ResultReader.contradiction`. */
  readonly contradiction?: (result: R, ...args: P) => string | undefined;
  /** See `ResultReader.confirmsEmpty`. */
  readonly confirmsEmpty?: boolean;
  /** The block hash that the arguments name: the result of such a call can never change. */
  readonly blockHash?: (...args: P) => string | undefined;
  /** The height that the arguments name: the result depends on the canonical chain up to it. */
  readonly height?: (...args: P) => string | undefined;
  /** The block of a result. It limits the validity of the result if the arguments name no block; undefined if that is not cacheable. */
  readonly inclusionBlock?: (result: R, ...args: P) => BlockPointer | undefined;
  /** Cost of a call in the unit of MAX_COST; 1 by default. */
  readonly cost?: (...args: P) => number;
}

/** Returns the parameters of a call. */
export const paramsOf = <P extends readonly unknown[], R>({ params }: RpcMethod<P, R>, args: P): readonly unknown[] =>
  params ? params(...args) : args;

/** Returns the JSON-RPC method name of a call. */
export const methodNameOf = <P extends readonly unknown[], R>({ name }: RpcMethod<P, R>, args: P): string =>
  typeof name === 'string' ? name : name(...args);

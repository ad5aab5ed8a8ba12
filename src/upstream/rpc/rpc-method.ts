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
  /** See `ResultReader.confirmsEmpty`. */
  readonly confirmsEmpty?: boolean;
  /** Whether the result can never change, because the arguments name a block hash. */
  readonly isImmutable?: (...args: P) => boolean;
  /** The block that limits the validity of a result; undefined for a result that is not cacheable. */
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

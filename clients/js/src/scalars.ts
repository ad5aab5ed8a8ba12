/** Text that starts with `0x`: the type that viem and ethers use for hex. */
export type Hex = `0x${string}`;

/** An argument of a contract function: a list for an array or a tuple. Integers above 2^53 - 1 are text. */
export type AbiValue = string | number | boolean | readonly AbiValue[];

/** The TypeScript type of each custom scalar of the graph, in results. */
export interface Scalars {
  /** An argument of a contract function, only in variables: see `ScalarInputs`. */
  AbiValue: AbiValue;
  /** 20 bytes in lower case. */
  Address: Hex;
  /** An integer of up to 256 bits as hex; `toBigInt` converts it. */
  BigInt: Hex;
  /** Bytes of any length. */
  Bytes: Hex;
  /** 32 bytes. */
  Bytes32: Hex;
  /** Id of a chain as hex. */
  ChainId: Hex;
  /** An instant in UTC as ISO 8601; `toDate` converts it. */
  DateTime: string;
  /** An integer of any size in base 10; `toBigInt` converts it. */
  Decimal: string;
  /** An integer of up to 64 bits as hex; `toNumber` and `toBigInt` convert it. */
  Long: Hex;
}

/**
 * The TypeScript type of each custom scalar in variables. Integers are hex, decimal text, or a number up to 2^53 - 1. JSON has no bigint: convert one
 * with `toHex`.
 */
export interface ScalarInputs extends Omit<Scalars, 'BigInt' | 'ChainId' | 'Long' | 'Decimal'> {
  BigInt: string | number;
  ChainId: string | number;
  Long: string | number;
  Decimal: string | number;
}

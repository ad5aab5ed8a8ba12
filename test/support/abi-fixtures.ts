import { Interface } from 'ethers';
import { parseAbi } from '../../src/ethereum/abi/parse.ts';
import type { ConfiguredAbi, DecodedAbi } from '../../src/ethereum/abi/registry.ts';

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;

/** Addresses of a contract and of two persons. */
export const [CONTRACT, ALICE, BOB] = [address(0xc), address(0xa), address(0xb)] as const;

/** An ABI file with these fragments in human-readable form; `of` is its address. */
export const abiOf = (of: string | null, ...fragments: string[]): ConfiguredAbi => ({
  address: of,
  ...parseAbi(JSON.parse(new Interface(fragments).formatJson())),
});

/** A log of CONTRACT with an event in human-readable form. */
export const eventLog = (fragment: string, ...values: unknown[]) => {
  const abi = new Interface([fragment]);
  return { address: CONTRACT, ...abi.encodeEventLog(abi.fragments[0] as never, values) };
};

/** The input of a call of a function in human-readable form. */
export const callInput = (fragment: string, ...values: unknown[]): string => {
  const abi = new Interface([fragment]);
  return abi.encodeFunctionData(abi.fragments[0] as never, values);
};

/** The payload of a revert with an error in human-readable form. */
export const errorPayload = (fragment: string, ...values: unknown[]): string => {
  const abi = new Interface([fragment]);
  return abi.encodeErrorResult(abi.fragments[0] as never, values);
};

/** A decoded call or event as one line: `ERC-20 transfer(to address = 0x...)`. */
export const lineOf = (decoded: DecodedAbi | null): string | null =>
  decoded &&
  `${decoded.standard} ${decoded.name}(${decoded.arguments.map(({ name, type, value }) => `${name} ${type} = ${value}`).join(', ')})`;

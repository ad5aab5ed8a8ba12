import { AbiCoder, FunctionFragment, ParamType } from 'ethers';
import { compileFunction } from '../../src/ethereum/abi/layouts.ts';
import { type AbiValue, abiTypeOf, readArguments } from '../../src/ethereum/abi/reader.ts';
import { type AbiInput, encodeCall } from '../../src/ethereum/abi/writer.ts';
import { mutateEncoding, randomArgument } from './random-abi.ts';
import type { RandomChoices } from './random-choices.ts';

const coder = AbiCoder.defaultAbiCoder();

/** A difference between the server's decoder or encoder and ethers. */
export interface AbiDifference {
  readonly types: readonly string[];
  readonly data: string;
  readonly expected: readonly AbiValue[] | 'undefined' | 'defined';
  readonly actual: readonly AbiValue[] | undefined;
}

/** Whether ethers decodes the data, and encodes the result to the same data. */
function isCanonical(types: readonly ParamType[], data: string): boolean {
  try {
    return coder.encode(types, coder.decode(types, data).toArray(true)) === data;
  } catch {
    return false;
  }
}

/** A function with these parameters, whose input has no selector. */
const functionOf = (inputs: readonly ParamType[]) => {
  const called = compileFunction(FunctionFragment.from({ type: 'function', name: 'f', inputs }));
  return { ...called, outputs: { ...called.outputs, selector: '0x' } };
};

/** Encodes random arguments with ethers and with the server and decodes them, then decodes `mutations` changed encodings. */
export function findAbiDifferences(choices: RandomChoices, mutations: number): readonly AbiDifference[] {
  const given = choices.many(choices.below(4), () => randomArgument(choices, 3));
  const types = given.map(({ parameter }) => ParamType.from(parameter));
  const names = types.map((type) => type.format('full'));
  const readers = types.map(abiTypeOf);
  const read = (data: string) => readArguments(readers, data.slice(2));
  const encoded = coder.encode(
    types,
    given.map(({ value }) => value),
  );
  const expected = given.map(({ decoded }) => decoded);
  const actual = read(encoded);
  const isWritten = encodeCall(functionOf(types), given.map(({ value }) => value) as AbiInput[]) === encoded;
  const isSame = isWritten && JSON.stringify(actual) === JSON.stringify(expected);
  const changed = choices.many(mutations, () => mutateEncoding(choices, encoded));
  return [
    ...(isSame ? [] : [{ types: names, data: encoded, expected, actual }]),
    ...changed.flatMap((data) => {
      const values = read(data);
      if ((values !== undefined) === isCanonical(types, data)) return [];
      const outcome: AbiDifference['expected'] = values === undefined ? 'defined' : 'undefined';
      return [{ types: names, data, expected: outcome, actual: values }];
    }),
  ];
}

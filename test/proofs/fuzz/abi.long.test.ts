import { expect, test } from '@jest/globals';
import { findAbiDifferences } from '../../support/abi-fuzz.ts';
import { createRandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';

const CASES = runSize(1_500, 100_000);

test(`readArguments agrees with ethers on ${CASES} random types, values and changed encodings`, () => {
  const choices = createRandomChoices(readSeed());
  for (let i = 0; i < CASES; i++) expect(findAbiDifferences(choices, 8)).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { artifactUrl, compileAll } from '../../../contracts/compile.ts';

test('the committed artifacts are what the contracts compile to', () => {
  for (const [contractName, text] of compileAll()) {
    expect([contractName, readFileSync(artifactUrl(contractName), 'utf8')]).toEqual([contractName, text]);
  }
});

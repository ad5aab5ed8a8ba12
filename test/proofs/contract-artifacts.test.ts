import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { artifactUrl, compileAll } from '../../devnet/contracts/compile.ts';

test('committed contract artifacts equal the compiled contracts', () => {
  for (const [contractName, text] of compileAll()) {
    expect([contractName, readFileSync(artifactUrl(contractName), 'utf8')]).toEqual([contractName, text]);
  }
});

import { expect, it } from '@jest/globals';
import { findPackageRoot } from '../../../src/lib/package-root.ts';

it('ends the start of a server whose files were copied without package.json, instead of searching without end', () => {
  expect(() => findPackageRoot('file:///copied/dist/main.js')).toThrow(
    'No package.json above file:///copied/dist/main.js; keep the package.json of Grimoire beside dist.',
  );
});

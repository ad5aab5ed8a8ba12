import { expect, test } from '@jest/globals';
import { packageName } from '../../../src/cli/init.ts';

test.each([
  ['my-app', 'my-app'],
  ['My App', 'my-app'],
  ['.hidden_', 'hidden_'],
  ['Übung 2', 'bung-2'],
  ['日本', 'app'],
])('packageName of the folder %s is %s', (folder, name) => {
  expect(packageName(folder)).toBe(name);
});

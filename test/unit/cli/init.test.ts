import { expect, test } from '@jest/globals';
import { createProject, packageName } from '../../../src/cli/init.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';

test.each([
  ['my-app', 'my-app'],
  ['My App', 'my-app'],
  ['.hidden_', 'hidden_'],
  ['Übung 2', 'bung-2'],
  ['日本', 'app'],
])('packageName of the folder %s is %s', (folder, name) => {
  expect(packageName(folder)).toBe(name);
});

test('a project is written to an empty folder, and neither to a folder with files nor to a file', () => {
  const folder = createTemporaryFolder();
  expect(createProject(folder)).toContain('npm install');
  for (const path of [folder, `${folder}/package.json`])
    expect(() => createProject(path)).toThrow(`${path} is not an empty folder.`);
});

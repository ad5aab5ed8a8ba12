import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TSC = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));

/** Options of a strict project in a browser that uses a bundler. */
const COMPILER_OPTIONS = {
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
  strict: true,
  jsx: 'react-jsx',
  skipLibCheck: true,
  noEmit: true,
};

/** Writes files to a folder that has `node_modules`, compiles them, and returns the errors. */
export function compileProject(folder: string, files: Readonly<Record<string, string>>): string[] {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const config = { compilerOptions: COMPILER_OPTIONS, files: Object.keys(files) };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout, stderr } = spawnSync(process.execPath, [TSC, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
  return (stdout + stderr).split('\n').filter((line) => line !== '');
}

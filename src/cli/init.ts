import { cpSync, existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GraphError } from '../lib/errors.ts';
import { PACKAGE_ROOT } from '../lib/package-root.ts';

const TEMPLATE = fileURLToPath(new URL('templates/project', PACKAGE_ROOT));
const SCHEMA = fileURLToPath(new URL('schema/graph.graphql', PACKAGE_ROOT));

/** Writes a small web project that uses the graph to a new or an empty folder, and returns the commands that start it. */
export function createProject(folder: string): string {
  const target = resolve(folder);
  if (existsSync(target) && !(statSync(target).isDirectory() && readdirSync(target).length === 0)) {
    throw new GraphError('BAD_USER_INPUT', `${target} is not an empty folder. Pass the path of a new or an empty folder.`);
  }
  cpSync(TEMPLATE, target, { recursive: true });
  // npm does not pack files with the name .gitignore.
  renameSync(join(target, 'gitignore'), join(target, '.gitignore'));
  cpSync(SCHEMA, join(target, 'schema.graphql'));
  writePackage(target);
  return nextSteps(folder);
}

/** Names the project after its folder. Paths of packages, which are relative to the template, become absolute. */
function writePackage(target: string): void {
  const project = JSON.parse(readFileSync(join(TEMPLATE, 'package.json'), 'utf8'), (_key, value: unknown) =>
    // A path instead of a URL, because npm does not decode URLs.
    typeof value === 'string' && value.startsWith('file:') ? `file:${resolve(TEMPLATE, value.slice('file:'.length))}` : value,
  ) as object;
  writeFileSync(
    join(target, 'package.json'),
    `${JSON.stringify({ ...project, name: packageName(basename(target)) }, null, 2)}\n`,
  );
}

/** The name of a folder with the characters that npm accepts; `app` if no character is left. */
export const packageName = (folderName: string): string =>
  folderName
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[-]+$/g, '')
    .slice(0, 214) || 'app';

const nextSteps = (folder: string): string => `Created a project in ${resolve(folder)}. Next:
${folder === '.' ? '' : `\n  cd ${/[^\w./-]/.test(folder) ? JSON.stringify(folder) : folder}`}
  npm install
  npm run graph      starts the graph over an embedded chain at http://127.0.0.1:4000
  npm run dev        in another terminal: starts the page at http://localhost:5173
`;

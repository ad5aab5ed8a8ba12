import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** The files of a package that a copy of it has to contain: LICENSE, COPYING, NOTICE.txt, ThirdPartyNotices.txt. */
const LICENSE_FILE = /^(?:licen[cs]e|copying|(?:copyright)?notice|third-?party-?notices)(?:[.-][\w.-]*)?$/i;
/** The folder of the package of a module. */
const PACKAGE_FOLDER = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

function licenseOf(folder: string): string {
  const {
    name,
    version,
    license = 'see below',
    author,
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageJson;
  const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const holder = typeof author === 'object' ? author.name : (author ?? `the authors of ${name}`);
  if (texts.length === 0)
    texts.push(`Copyright (c) ${holder}. The package has no file with the text of its license, ${license}.`);
  return `=== ${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}

/**
 * Writes a file with the licenses and notices of the packages that a bundle contains. `build.license` of Vite omits notices, and the Vite of
 * VitePress does not have it.
 */
export const bundledLicenses = (): Plugin => ({
  name: 'bundled-licenses',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    const folders = new Set(modules.flatMap((id) => PACKAGE_FOLDER.exec(id)?.[1] ?? []));
    const licenses = [...new Set([...folders].map(licenseOf))].sort();
    this.emitFile({ type: 'asset', name: 'licenses.txt', source: licenses.join('\n') });
  },
});

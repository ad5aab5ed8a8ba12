import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { bundledLicenses } from '../scripts/bundled-licenses.ts';
import { gzipped } from './gzipped.ts';

/** Moves GraphiQL's fonts from its CSS into files: browsers fetch only the fonts they use, and CSP needs no `font-src data:`. */
const fontsAsFiles: Plugin = {
  name: 'fonts-as-files',
  enforce: 'post',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'asset' || !file.fileName.endsWith('.css')) continue;
      const css = typeof file.source === 'string' ? file.source : Buffer.from(file.source).toString();
      file.source = css.replace(/url\("?data:font\/(\w+);base64,([^)"]+)"?\)/g, (_match, type: string, base64: string) => {
        const source = Buffer.from(base64, 'base64');
        const name = `font-${createHash('sha256').update(source).digest('base64url').slice(0, 8)}.${type}`;
        this.emitFile({ type: 'asset', fileName: `assets/${name}`, source });
        return `url(./${name})`;
      });
    }
  },
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  // Without the list of bundled files.
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic' } },
  plugins: [fontsAsFiles, gzipped, bundledLicenses()],
  worker: { format: 'es', plugins: () => [bundledLicenses()] },
  build: {
    outDir: '../dist/playground',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Monaco cannot be split, and is loaded after the first paint.
    chunkSizeWarningLimit: 4096,
    rolldownOptions: {
      // GraphiQL reads the titles of its icons from their function names.
      output: { keepNames: true },
      // 'use client' and 'use no memo' are for server components and the React compiler, which this build does not use.
      // The client package imports `graphql`, which this page contains, on demand.
      onLog: (level, log, report) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') report(level, log);
      },
    },
  },
});

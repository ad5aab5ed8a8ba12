import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { gzipped } from '../playground/gzipped.ts';
import { bundledLicenses } from '../scripts/bundled-licenses.ts';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  // Without the list of bundled files.
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic' } },
  // The sources of the client package, so that no build of it is needed.
  resolve: { tsconfigPaths: true },
  plugins: [gzipped, bundledLicenses()],
  build: {
    outDir: '../dist/explorer',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // 'use client' is for server components, which this build does not use.
      onLog: (level, log, report) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : report(level, log)),
    },
  },
});

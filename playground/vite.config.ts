import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** GraphiQL's fonts come inside its CSS. As files a browser fetches the few it draws with, and CSP needs no `font-src data:`. */
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

/** A `.gz` beside every text file, so that the server only has to send it. */
const gzipped: Plugin = {
  name: 'gzipped',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (!/\.(js|css|html|svg|ttf)$/.test(file.fileName)) continue;
        const source = gzipSync(file.type === 'chunk' ? file.code : file.source, { level: 9 });
        this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source });
      }
    },
  },
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  oxc: { jsx: { runtime: 'automatic' } },
  plugins: [fontsAsFiles, gzipped],
  worker: { format: 'es' },
  build: {
    outDir: '../dist/playground',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Monaco is one chunk by nature, and it is loaded after the first paint.
    chunkSizeWarningLimit: 4096,
    rolldownOptions: {
      // GraphiQL titles its icons by the names of their functions.
      output: { keepNames: true },
      // 'use client' and 'use no memo' speak to servers and compilers that are not here.
      onLog: (level, log, report) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : report(level, log)),
    },
  },
});

import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Writes a `.gz` file for every text file, so that the server does not compress at run time. */
export const gzipped: Plugin = {
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

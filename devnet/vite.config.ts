import { defineConfig } from 'vite';
import { bundledLicenses } from '../scripts/bundled-licenses.ts';

/** Builds `devnet/dist/index.js` with all packages inside, except anvil and PostgreSQL: their native programs are packages of npm. */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  publicDir: false,
  plugins: [bundledLicenses()],
  ssr: { noExternal: true },
  build: {
    ssr: 'src/index.ts',
    target: 'node20',
    minify: false,
    sourcemap: true,
    rolldownOptions: { output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', assetFileNames: '[name][extname]' } },
  },
});

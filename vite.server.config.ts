import { defineConfig } from 'vite';
import { bundledLicenses } from './scripts/bundled-licenses.ts';

/**
 * Builds `dist/main.js` with all packages inside: node loads a few large files in half the time that it needs for two thousand modules
 * (docs/decisions/0023).
 */
export default defineConfig({
  // Without the list of bundled files.
  logLevel: 'warn',
  publicDir: false,
  plugins: [bundledLicenses()],
  ssr: { noExternal: true },
  // A bundled package has no `module.require`; without it Apollo Server hashes each document in JavaScript.
  define: { 'module.require': 'process.getBuiltinModule' },
  build: {
    ssr: 'src/main.ts',
    outDir: 'dist',
    target: 'node20',
    minify: false,
    sourcemap: true,
    // dist/playground has a build of its own.
    emptyOutDir: false,
    // All files in one folder, because src/lib/package-root.ts is relative to it.
    rolldownOptions: {
      // The embedded network is a package of its own, which a server over a node does not need.
      external: ['@grimoire/devnet'],
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', assetFileNames: '[name][extname]' },
    },
  },
});

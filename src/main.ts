#!/usr/bin/env node
import './cli/v8-flags.ts';

// Loaded after the flags: a bundler may evaluate a static import, and graphql with it, before them.
const { runCli } = await import('./cli/index.ts');
await runCli(process.argv);

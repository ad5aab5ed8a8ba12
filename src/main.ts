#!/usr/bin/env node
import './v8-flags.ts';

// Loaded after the flags: a bundler may evaluate a static import, and graphql with it, before them.
const { runCli } = await import('./cli.ts');
await runCli(process.argv);

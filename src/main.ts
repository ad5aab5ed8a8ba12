#!/usr/bin/env node
import './v8-flags.ts';
import { runCli } from './cli.ts';

await runCli(process.argv);

import { relative } from 'node:path';
import { describe } from '@jest/globals';
import { separateResources } from './cleanups.ts';

interface DescribeBlock {
  readonly parent: DescribeBlock;
}
const stateKey = Object.getOwnPropertySymbols(globalThis).find(({ description }) => description === 'JEST_STATE_SYMBOL')!;
const state = (globalThis as unknown as Record<symbol, { currentDescribeBlock: DescribeBlock }>)[stateKey]!;

/** Imports files of tests, each in a describe block of its own: its hooks and resources are those of its tests. */
export async function importTests(files: readonly string[]): Promise<void> {
  for (const file of files) {
    let block!: DescribeBlock;
    describe(relative('test', file), () => {
      block = state.currentDescribeBlock;
    });
    // Jest has no asynchronous describe block.
    state.currentDescribeBlock = block;
    separateResources();
    await import(file);
    state.currentDescribeBlock = block.parent;
  }
}

import { afterEach, expect, jest, test } from '@jest/globals';
import { NO_BUDGET_LIMITS } from '../../../src/lib/operation-budget.ts';
import { OperationRegistry } from '../../../src/operation/operation-registry.ts';

const MIB = 1024 * 1024;

afterEach(() => void jest.restoreAllMocks());

test('the end of long operations makes V8 count a large buffer after 60 MiB, and that of short ones does not', () => {
  // V8 may free earlier buffers in the same turn, so that the memory of the process does not show the allocation.
  const allocate = jest.spyOn(Buffer, 'allocUnsafeSlow');
  const operations = new OperationRegistry(10_000, NO_BUDGET_LIMITS);
  /** The sizes of the allocated buffers, in MiB, after an operation with these MiB from upstreams. */
  const allocatedAfter = (mib: number): readonly number[] => {
    const { operation, end } = operations.begin('1');
    operation.budget!.addUpstreamBytes(mib * MIB);
    end();
    end();
    return allocate.mock.calls.map(([size]) => size / MIB);
  };
  expect([15, 15, 15, 15, 15].map(allocatedAfter).at(-1)).toEqual([]);
  expect([26, 26, 26, 26, 26, 26].map(allocatedAfter)).toEqual([[], [], [64], [64], [64], [64, 64]]);
});

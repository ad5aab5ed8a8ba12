import type { StateReader } from '../../../snapshot/state-reader.ts';
import type { Settled } from '../../../upstream/in-flight-requests.ts';
import type { AccountAtBlock, StateField } from '../model.ts';
import { accountReads } from '../rpc-methods.ts';

/** Accounts with some of their state, read at once so that their leaves need not wait each for itself. */
export const accountLoader =
  ({ readMany }: StateReader) =>
  (account: AccountAtBlock, fields: readonly StateField[]): Promise<AccountAtBlock> =>
    new Promise((resolve) => {
      const state: Record<StateField, Settled<string> | undefined> = {
        balance: undefined,
        transactionCount: undefined,
        code: undefined,
      };
      let missing = fields.length;
      readMany(
        fields.map((field) => accountReads[field]),
        account,
        (i, settled) => {
          state[fields[i]!] = settled;
          missing -= 1;
          if (missing === 0) resolve({ ...account, state });
        },
      );
    });

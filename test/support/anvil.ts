import { startAnvil } from '../../devnet/src/anvil/process.ts';
import { MNEMONIC } from '../../devnet/src/world/accounts.ts';
import { untilTestsEnd } from './cleanups.ts';

/** Starts anvil with an empty chain and the development accounts. It stops after the tests of the file. */
export const startTestAnvil = async () =>
  untilTestsEnd(await startAnvil({ chainId: 31337, mnemonic: MNEMONIC, genesisTime: 1_735_689_600 }));

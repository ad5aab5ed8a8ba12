import { HDNodeWallet } from 'ethers';

/** The common development mnemonic. Its keys are public: they must hold nothing of value. */
export const MNEMONIC = 'test test test test test test test test test test test junk';

/** Generated transactions never spend from `guest`, so a user can predict its nonces. */
const ACCOUNT_NAMES = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi', 'ivan', 'judy', 'guest'] as const;

/** Number of accounts that take part in generated transactions: all accounts but the last account, the guest. */
export const WORLD_ACCOUNT_COUNT = ACCOUNT_NAMES.length - 1;

/** A genesis account with 10,000 ether, unlocked for `eth_sendTransaction`. */
export interface DevnetAccount {
  readonly name: string;
  /** Lower case. */
  readonly address: string;
  /** 0x-hex, 32 bytes. */
  readonly privateKey: string;
}

/** The accounts of the mnemonic in derivation order: m/44'/60'/0'/0/0 is alice, the last account is the guest. */
export function developmentAccounts(): DevnetAccount[] {
  const root = HDNodeWallet.fromPhrase(MNEMONIC, '', "m/44'/60'/0'/0");
  return ACCOUNT_NAMES.map((name, index) => {
    const { address, privateKey } = root.deriveChild(index);
    return { name, address: address.toLowerCase(), privateKey };
  });
}

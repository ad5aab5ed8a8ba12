import { HDNodeWallet } from 'ethers';

/** The development mnemonic that wallets and node tools know. Its keys are public: nothing of value belongs to them. */
export const MNEMONIC = 'test test test test test test test test test test test junk';

/** The last one belongs to whoever uses the chain: nobody of the world spends from it, so its nonces are not taken meanwhile. */
const ACCOUNT_NAMES = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi', 'ivan', 'judy', 'guest'] as const;

/** The accounts of the mnemonic that live in the world; the guest, who follows them, does not. */
export const WORLD_ACCOUNT_COUNT = ACCOUNT_NAMES.length - 1;

/** An account the chain starts with: 10,000 ether, unlocked, so that `eth_sendTransaction` signs for it. */
export interface DevnetAccount {
  readonly name: string;
  /** Lower case. */
  readonly address: string;
  /** 0x-hex, 32 bytes. */
  readonly privateKey: string;
}

/** The accounts of the mnemonic, in derivation order (m/44'/60'/0'/0/0 is alice): the inhabitants, then the guest. */
export function developmentAccounts(): DevnetAccount[] {
  const root = HDNodeWallet.fromPhrase(MNEMONIC, '', "m/44'/60'/0'/0");
  return ACCOUNT_NAMES.map((name, index) => {
    const { address, privateKey } = root.deriveChild(index);
    return { name, address: address.toLowerCase(), privateKey };
  });
}

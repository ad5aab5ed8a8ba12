import { defineConfig } from 'hardhat/config';

/** Nothing is compiled here: the contracts come from devnet/contracts/artifacts. */
export default defineConfig({ solidity: '0.8.26' });

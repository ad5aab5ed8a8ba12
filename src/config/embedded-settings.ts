import { z } from 'zod';
import { integer, isOverNode, numberFrom, oneOf, type SettingDefinitions, setting } from './settings.ts';

/** A port that the system picks by default. */
const freePort = integer(0, 65_535).default(0);

/** The settings of the embedded network. */
export const embeddedSettings = {
  DEVNET_CHAINS: setting(integer(1, 4).default(2), {
    about:
      'Embedded chain: number of chains. Each further chain has its own id, tokens, tournament and wizard service on free ports, and a folder in `DATA_DIR`; it has neither a database nor notifications. A federation subgraph without `MULTI_CHAIN` starts one chain',
  }),
  DEVNET_SEED: setting(integer(0, 2 ** 32 - 1).default(1), {
    about: 'Embedded chain: seed of the generated accounts, contracts and history; further chains have the seeds above it',
  }),
  DEVNET_BLOCK_TIME: setting(numberFrom(0.1, 3600).default(2), {
    about: 'Embedded chain: seconds between blocks',
  }),
  DEVNET_LIFE: setting(oneOf('on', 'off').default('on'), {
    about: 'Embedded chain: `off` stops the generated traffic and mines each submitted transaction at once',
  }),
  DATA_DIR: setting(z.string().optional(), {
    about:
      'Embedded chain: directory in which the chain and its database survive restarts, created if it does not exist; for one process at a time. When unset, both are temporary',
    ignoredFor: (values) => isOverNode(values) && 'only the embedded chain uses it, and RPC_URL or DEVNET_URL is set',
  }),
  DEVNET_NODE_PORT: setting(freePort, { about: 'Embedded chain: HTTP port of the node service; 0 picks a free one' }),
  DEVNET_NODE_WS_PORT: setting(freePort, { about: 'Embedded chain: WebSocket port of the node service; 0 picks a free one' }),
  DEVNET_WIZARDS_PORT: setting(freePort, { about: 'Embedded chain: port of the wizard service; 0 picks a free one' }),
} satisfies SettingDefinitions;

import type { SeedRow } from './rows.ts';

/** What the node reports about itself and its network. */
export const networkRows: readonly SeedRow[] = [
  ['Network.accounts', ['network', 'accounts'], ({ service }) => service('eth_accounts')],
  ['Network.protocolVersion', ['network', 'protocolVersion'], ({ service }) => service('eth_protocolVersion')],
  ['Network.networkID', ['network', 'networkID'], ({ service }) => service('net_version')],
  ['Network.listening', ['network', 'listening'], ({ service }) => service('net_listening')],
  ['Query.gasPrice', ['gasPrice'], ({ call }) => call('eth_gasPrice')],
  ['Query.chainID', ['chainID'], ({ call }) => call('eth_chainId')],
];

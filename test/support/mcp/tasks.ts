import { expect } from '@jest/globals';
import { Transaction, Wallet } from 'ethers';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import type { ToolAnswer } from './agent.ts';

/** The embedded world that the tasks are about, and its sources without the graph. */
export interface World {
  readonly devnet: DevnetDescription;
  /** Calls the node itself. */
  rpc<T = any>(method: string, ...params: unknown[]): Promise<T>;
  /** Reads the wizard service itself. */
  service<T = any>(path: string): Promise<T>;
  /** The latest height of the generated history. */
  readonly lastBlock: number;
  address(name: string): string;
  token(symbol: string): string;
}

export type ToolCall = readonly [tool: string, args: Record<string, unknown>];

/** A task for an agent: the tool calls that solve it, each made with the earlier answers, and the check against the sources. */
export interface AgentTask {
  readonly task: string;
  readonly calls: readonly ((world: World, answers: readonly ToolAnswer[]) => ToolCall)[];
  /** Runs while the last call is running, after its subscription has started. */
  readonly during?: (world: World) => Promise<void>;
  readonly check: (answer: any, world: World, answers: readonly ToolAnswer[]) => Promise<void>;
}

const search = (query: string) => (): ToolCall => ['search_schema', { query }];
const explain = (name: string) => (): ToolCall => ['explain_type', { name }];
const execute =
  (query: string, variables?: (world: World, answers: readonly ToolAnswer[]) => Record<string, unknown>) =>
  (world: World, answers: readonly ToolAnswer[]): ToolCall => [
    'execute_operation',
    { query, ...(variables && { variables: variables(world, answers) }) },
  ];

const _hex = (value: number | bigint): string => `0x${value.toString(16)}`;
const word = (address: string): string => address.slice(2).padStart(64, '0');
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const coordinatesIn = ({ matches }: { matches: { coordinate: string }[] }) => matches.map(({ coordinate }) => coordinate);
const _balanceOf = (world: World, token: string, owner: string) =>
  world.rpc<string>('eth_call', { to: token, data: `0x70a08231${word(owner)}` }, 'latest').then(BigInt);

/** A signed transfer of ether from the guest, who signs nothing else. */
const signedTransfer = ({ devnet }: World, nonce: number): string => {
  const guest = devnet.accounts.at(-1)!;
  const transaction = Transaction.from({
    type: 2,
    chainId: devnet.chainId,
    nonce,
    to: devnet.accounts[0]!.address,
    value: 1_000n,
    gasLimit: 21_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  });
  transaction.signature = new Wallet(guest.privateKey).signingKey.sign(transaction.unsignedHash);
  return transaction.serialized;
};

export const AGENT_TASKS: readonly AgentTask[] = [
  {
    task: 'find the balance of alice in ether',
    calls: [
      search('balance of an account in ether'),
      execute('query ($a: Address!) { account(address: $a) { balance balanceIn(unit: ETHER) } }', (world) => ({
        a: world.address('alice'),
      })),
    ],
    async check({ data }, world, [found]) {
      expect(coordinatesIn(found!.value)).toContain('Account.balanceIn');
      const wei = await world.rpc<string>('eth_getBalance', world.address('alice'), 'latest');
      expect(data.account.balance).toBe(wei);
      expect(Number(data.account.balanceIn)).toBeCloseTo(Number(BigInt(wei)) / 1e18, 9);
    },
  },
  {
    task: 'name the wizard with the most power',
    calls: [
      explain('WizardOrder'),
      execute('{ wizards(orderBy: POWER_DESC, first: 1) { nodes { id power owner { address } } } }'),
    ],
    async check({ data }, { service }, [explained]) {
      expect(explained!.value.sdl).toContain('POWER_DESC');
      const { wizards } = await service('/wizards');
      const powers = wizards.map(({ power }: any) => BigInt(power)).sort((a: bigint, b: bigint) => (a < b ? 1 : -1));
      const [strongest] = data.wizards.nodes;
      const served = wizards.find(({ id }: any) => String(id) === strongest.id);
      expect(BigInt(strongest.power)).toBe(powers[0]);
      expect(served.owner.toLowerCase()).toBe(strongest.owner.address);
    },
  },
  {
    task: 'correct an operation with a field that does not exist',
    calls: [
      () => ['validate_operation', { query: '{ block { transactionsCount } }' }],
      () => ['validate_operation', { query: '{ block { transactionCount } }' }],
      execute('{ block(number: 5) { transactionCount } }'),
    ],
    async check({ data }, { rpc }, [rejected, accepted]) {
      expect(rejected!.value.valid).toBe(false);
      expect(rejected!.value.problems[0].message).toContain('Did you mean "transactionCount"');
      expect(accepted!.value).toEqual({ valid: true, operation: 'query', problems: [] });
      expect(data.block.transactionCount).toBe(await rpc('eth_getBlockTransactionCountByNumber', '0x5'));
    },
  },
  {
    task: 'find out that an operation is too expensive, and read the same in pages',
    calls: [
      execute('{ blocksConnection(first: 100) { nodes { transactions { from { balance } to { balance } logs { index } } } } }'),
      execute('{ blocksConnection(first: 2) { nodes { number transactionCount } pageInfo { hasNextPage } } }'),
    ],
    async check({ data }, _world, [rejected]) {
      expect(rejected!.isError).toBe(true);
      expect(rejected!.value.errors[0].extensions).toMatchObject({ code: 'QUERY_TOO_COMPLEX', setting: 'MAX_COST' });
      expect(data.blocksConnection.pageInfo.hasNextPage).toBe(true);
    },
  },
  {
    task: 'send a signed transaction and wait for its receipt',
    calls: [
      search('submit a signed transaction and wait for its receipt'),
      execute(
        'mutation ($d: Bytes!) { submitTransaction(input: { data: $d, waitMs: 5000 }) { hash receipt { blockNumber status } } }',
        (world) => ({ d: signedTransfer(world, 0) }),
      ),
    ],
    async check({ data }, { rpc }, [found]) {
      expect(coordinatesIn(found!.value)).toContain('Mutation.submitTransaction');
      const { hash, receipt } = data.submitTransaction;
      const { blockNumber, status } = await rpc('eth_getTransactionReceipt', hash);
      expect(receipt).toEqual({ blockNumber, status });
    },
  },
  {
    task: 'watch the next three blocks',
    calls: [() => ['collect_events', { query: 'subscription { newHeads { number hash } }', count: 3 }]],
    async during({ rpc }) {
      for (let block = 0; block < 3; block += 1) await rpc('evm_mine');
    },
    async check({ events, ended }, { rpc }) {
      expect(ended).toBe('COUNT');
      const heads = events.map(({ data }: any) => data.newHeads);
      expect(heads).toHaveLength(3);
      for (const { number, hash } of heads) expect((await rpc('eth_getBlockByNumber', number, false)).hash).toBe(hash);
    },
  },
  {
    task: 'wait for the next transfer of a token',
    calls: [
      (world) => [
        'collect_events',
        {
          query:
            'subscription ($f: LogSubscriptionFilter) { logs(filter: $f) { transactionHash decoded { name arguments { name value } } } }',
          variables: { f: { addresses: [world.token('MANA')], topics: [[TRANSFER]] } },
        },
      ],
    ],
    async during(world) {
      await world.rpc('eth_sendTransaction', {
        from: world.address('alice'),
        to: world.token('MANA'),
        data: `0xa9059cbb${word(world.address('carol'))}${'7'.padStart(64, '0')}`,
      });
    },
    async check({ events }, world) {
      const [{ data }] = events;
      expect(data.logs.decoded.name).toBe('Transfer');
      expect(data.logs.decoded.arguments.map(({ value }: any) => value)).toEqual([
        world.address('alice'),
        world.address('carol'),
        '7',
      ]);
      expect((await world.rpc('eth_getTransactionReceipt', data.logs.transactionHash)).status).toBe('0x1');
    },
  },
];

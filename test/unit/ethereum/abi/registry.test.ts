import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { parseAbi } from '../../../../src/ethereum/abi/parse.ts';
import { type ConfiguredAbi, createAbiRegistry } from '../../../../src/ethereum/abi/registry.ts';

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
const [CONTRACT, ALICE, BOB] = [address(0xc), address(0xa), address(0xb)] as const;

/** An ABI file with these fragments in human-readable form. */
const abiOf = (of: string | null, ...fragments: string[]): ConfiguredAbi => ({
  address: of,
  ...parseAbi(JSON.parse(new Interface(fragments).formatJson())),
});

const logOf = (fragment: string, ...values: unknown[]) => {
  const abi = new Interface([fragment]);
  return { address: CONTRACT, ...abi.encodeEventLog(abi.fragments[0] as never, values) };
};

const inputOf = (fragment: string, ...values: unknown[]) => {
  const abi = new Interface([fragment]);
  return abi.encodeFunctionData(abi.fragments[0] as never, values);
};

/** A decoded call or event as one line: `ERC-20 transfer(to address = 0x…)`. */
const lineOf = (decoded: ReturnType<ReturnType<typeof createAbiRegistry>['decodeEvent']>) =>
  decoded &&
  `${decoded.standard} ${decoded.name}(${decoded.arguments.map(({ name, type, value }) => `${name} ${type} = ${value}`).join(', ')})`;

const standards = createAbiRegistry();

describe('the standards', () => {
  test.each<[string, string, unknown[], string]>([
    [
      'an ERC-20 transfer',
      'event Transfer(address indexed from, address indexed to, uint256 value)',
      [ALICE, BOB, 7],
      `ERC-20 Transfer(from address = ${ALICE}, to address = ${BOB}, value uint256 = 7)`,
    ],
    [
      'an ERC-721 transfer',
      'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
      [ALICE, BOB, 7],
      `ERC-721 Transfer(from address = ${ALICE}, to address = ${BOB}, tokenId uint256 = 7)`,
    ],
    [
      'an ERC-20 approval',
      'event Approval(address indexed owner, address indexed spender, uint256 value)',
      [ALICE, BOB, 7],
      `ERC-20 Approval(owner address = ${ALICE}, spender address = ${BOB}, value uint256 = 7)`,
    ],
    [
      'an ERC-721 approval',
      'event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)',
      [ALICE, BOB, 7],
      `ERC-721 Approval(owner address = ${ALICE}, approved address = ${BOB}, tokenId uint256 = 7)`,
    ],
    [
      'ApprovalForAll of ERC-721 and ERC-1155, without a standard',
      'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
      [ALICE, BOB, true],
      `null ApprovalForAll(owner address = ${ALICE}, operator address = ${BOB}, approved bool = true)`,
    ],
    [
      'an ERC-1155 batch',
      'event TransferBatch(address indexed a, address indexed b, address indexed c, uint256[] ids, uint256[] values)',
      [CONTRACT, ALICE, BOB, [1, 2], [3, 2n ** 256n - 1n]],
      `ERC-1155 TransferBatch(operator address = ${CONTRACT}, from address = ${ALICE}, to address = ${BOB}, ids uint256[] = ["1","2"], values uint256[] = ["3","${2n ** 256n - 1n}"])`,
    ],
    [
      'an event of the tournament',
      'event WizardPowerChanged(uint256 indexed wizardId, uint256 power)',
      [3, 10n ** 18n],
      'Tournament WizardPowerChanged(wizardId uint256 = 3, power uint256 = 1000000000000000000)',
    ],
    ['null for a transfer without indexed parameters', 'event Transfer(address, address, uint256)', [ALICE, BOB, 7], 'null'],
    ['null for an unknown event', 'event Unknown(uint256 a)', [1], 'null'],
  ])('the standards decode a log as %s', (_case, fragment, values, expected) => {
    expect(String(lineOf(standards.decodeEvent(logOf(fragment, ...values))))).toBe(expected);
  });

  test.each<[string, string, unknown[], string]>([
    [
      'an ERC-20 transfer',
      'function transfer(address,uint256)',
      [BOB, 7],
      `ERC-20 transfer(to address = ${BOB}, value uint256 = 7)`,
    ],
    [
      'an approval of ERC-20 or ERC-721, without a standard and names that differ',
      'function approve(address,uint256)',
      [BOB, 7],
      `null approve(null address = ${BOB}, null uint256 = 7)`,
    ],
    [
      'transferFrom of ERC-20 or ERC-721, with the names that are equal',
      'function transferFrom(address,address,uint256)',
      [ALICE, BOB, 7],
      `null transferFrom(from address = ${ALICE}, to address = ${BOB}, null uint256 = 7)`,
    ],
    [
      'an ERC-721 transfer with data',
      'function safeTransferFrom(address,address,uint256,bytes)',
      [ALICE, BOB, 7, '0xabcd'],
      `ERC-721 safeTransferFrom(from address = ${ALICE}, to address = ${BOB}, tokenId uint256 = 7, data bytes = 0xabcd)`,
    ],
    ['a call without arguments', 'function living()', [], 'Tournament living()'],
    ['null for an unknown function', 'function unknown(uint256)', [1], 'null'],
  ])('the standards decode an input as %s', (_case, fragment, values, expected) => {
    expect(String(lineOf(standards.decodeCall(CONTRACT, inputOf(fragment, ...values))))).toBe(expected);
  });

  test('the standards contain the ABI of the tournament contract, with its names', () => {
    const artifact = JSON.parse(
      readFileSync(new URL('../../../../contracts/artifacts/Tournament.json', import.meta.url), 'utf8'),
    ) as { abi: object[] };
    const contract = createAbiRegistry([{ address: CONTRACT, ...parseAbi(artifact) }]);
    const { fragments } = parseAbi(artifact);
    expect(fragments).toHaveLength(35);
    for (const fragment of fragments) {
      const values = fragment.inputs.map(
        ({ type }) =>
          ({ address: ALICE, bool: true, bytes: '0x', bytes4: '0x01ffc9a7', bytes32: `0x${'ab'.repeat(32)}` })[type] ?? 1,
      );
      const abi = new Interface([fragment]);
      const decoded = [standards, contract].map((registry) =>
        fragment.type === 'event'
          ? registry.decodeEvent({ address: CONTRACT, ...abi.encodeEventLog(fragment as never, values) })
          : registry.decodeCall(CONTRACT, abi.encodeFunctionData(fragment as never, values)),
      );
      expect(decoded[0]).not.toBeNull();
      const isTournament = decoded[0]!.standard === 'Tournament';
      expect(decoded[0]).toEqual(isTournament ? decoded[1] : { ...decoded[1], arguments: expect.anything() });
    }
  });
});

describe('precedence', () => {
  const transfer = inputOf('function transfer(address,uint256)', BOB, 7);
  const own = abiOf(CONTRACT, 'function transfer(address a, uint256 b)');
  const global = abiOf(null, 'function transfer(address c, uint256 d)');
  const names = (abis: readonly ConfiguredAbi[], to = CONTRACT) =>
    createAbiRegistry(abis)
      .decodeCall(to, transfer)
      ?.arguments.map(({ name }) => name);

  test('the ABI of the address precedes those for all contracts, and these the standards', () => {
    expect(names([own, global])).toEqual(['a', 'b']);
    expect(names([own, global], BOB)).toEqual(['c', 'd']);
    expect(names([own], BOB)).toEqual(['to', 'value']);
  });

  test('an address in mixed case has the ABI of its address', () => {
    expect(names([own], CONTRACT.toUpperCase().replace('X', 'x'))).toEqual(['a', 'b']);
  });

  test('a call by the ABI of an address has the standard of its signature', () => {
    expect(createAbiRegistry([own]).decodeCall(CONTRACT, transfer)?.standard).toBe('ERC-20');
  });

  test('names are null where two ABIs of one level differ', () => {
    expect(names([global, abiOf(null, 'function transfer(address c, uint256)')], BOB)).toEqual(['c', null]);
  });

  test('a log is null if two ABIs of one level index different parameters and both fit', () => {
    const one = abiOf(null, 'event E(uint256 indexed a, uint256 b)');
    const other = abiOf(null, 'event E(uint256 a, uint256 indexed b)');
    const log = logOf('event E(uint256 indexed a, uint256 b)', 1, 2);
    expect(lineOf(createAbiRegistry([one]).decodeEvent(log))).toBe('null E(a uint256 = 1, b uint256 = 2)');
    expect(createAbiRegistry([one, other]).decodeEvent(log)).toBeNull();
  });

  test.each([
    ['tuple(uint256 a) t', 'tuple(uint256 b) t', [1], '{"a":"1"}'],
    ['tuple(uint256 a)[] t', 'tuple(uint256 b)[] t', [[1]], '[{"a":"1"}]'],
  ])('a call is null if two ABIs of one level declare %s and %s', (first, second, value, text) => {
    const input = inputOf(`function f(${first})`, value);
    const [one, other] = [first, second].map((parameter) => abiOf(null, `function f(${parameter})`)) as [
      ConfiguredAbi,
      ConfiguredAbi,
    ];
    expect(createAbiRegistry([one]).decodeCall(CONTRACT, input)?.arguments[0]).toMatchObject({ name: 't', value: text });
    expect(createAbiRegistry([one, other]).decodeCall(CONTRACT, input)).toBeNull();
  });

  test('functions with the same selector are told apart by their arguments, and null if both fit', () => {
    // Both have the selector 0x42966c68.
    const burn = abiOf(null, 'function burn(uint256 value)');
    const collision = abiOf(null, 'function collate_propagate_storage(bytes16 x)');
    const registry = createAbiRegistry([burn, collision]);
    expect(lineOf(registry.decodeCall(CONTRACT, inputOf('function burn(uint256)', 7)))).toBe('null burn(value uint256 = 7)');
    expect(registry.decodeCall(CONTRACT, inputOf('function burn(uint256)', 1n << 128n))).toBeNull();
  });

  test('the ABI of an address alone decides on the selectors that it has', () => {
    const registry = createAbiRegistry([abiOf(CONTRACT, 'event Transfer(address indexed a, address indexed b, uint256 c)')]);
    const log = logOf('event Transfer(address indexed a, address indexed b, uint256 indexed c)', ALICE, BOB, 7);
    expect(registry.decodeEvent(log)).toBeNull();
    expect(registry.decodeEvent({ ...log, address: BOB })?.standard).toBe('ERC-721');
  });

  test('an ABI for all contracts that does not fit leaves the standards', () => {
    const registry = createAbiRegistry([abiOf(null, 'event Transfer(address indexed a, address indexed b, uint256 c)')]);
    const log = logOf('event Transfer(address indexed a, address indexed b, uint256 indexed c)', ALICE, BOB, 7);
    expect(registry.decodeEvent(log)?.standard).toBe('ERC-721');
  });
});

describe('values', () => {
  test('an indexed string, bytes, array or tuple is its hash, with its own type', () => {
    const inputs = [
      { name: 'a', type: 'string', indexed: true },
      { name: 'b', type: 'uint256[]', indexed: true },
      { name: 'c', type: 'tuple', indexed: true, components: [{ name: 'x', type: 'uint256' }] },
    ];
    const abi = [{ type: 'event', name: 'E', inputs }];
    const hashes = ['aa', 'bb', 'cc'].map((byte) => `0x${byte.repeat(32)}`);
    const topics = [new Interface(abi).getEvent('E')!.topicHash, ...hashes];
    const registry = createAbiRegistry([{ address: null, ...parseAbi(abi) }]);
    expect(
      registry
        .decodeEvent({ address: CONTRACT, topics, data: '0x' })
        ?.arguments.map(({ type, indexed, value }) => [type, indexed, value]),
    ).toEqual([
      ['string', true, hashes[0]],
      ['uint256[]', true, hashes[1]],
      ['(uint256)', true, hashes[2]],
    ]);
  });

  test('a string is unchanged at the top and JSON text inside an array', () => {
    const fragment = 'function f(string s, string[] t, bool b)';
    const registry = createAbiRegistry([abiOf(null, fragment)]);
    const decoded = registry.decodeCall(CONTRACT, inputOf(fragment, '["\u0000"]', ['"\n'], false));
    expect(decoded?.arguments.map(({ value }) => value)).toEqual(['["\u0000"]', JSON.stringify(['"\n']), 'false']);
  });

  test('only an argument of type address has an account', () => {
    const fragment = 'function f(address a, address[] b, uint160 c)';
    const registry = createAbiRegistry([abiOf(null, fragment)]);
    const decoded = registry.decodeCall(CONTRACT, inputOf(fragment, ALICE, [BOB], 10));
    expect(decoded?.arguments.map((argument) => argument.address)).toEqual([ALICE, null, null]);
  });

  test.each<[string, string | null, string]>([
    ['a contract creation', null, inputOf('function transfer(address,uint256)', BOB, 7)],
    ['an empty input', CONTRACT, '0x'],
    ['an input of three bytes', CONTRACT, '0xa9059c'],
    ['a selector without arguments', CONTRACT, '0xa9059cbb'],
    ['an input with a further byte', CONTRACT, `${inputOf('function transfer(address,uint256)', BOB, 7)}00`],
    ['an input without its last byte', CONTRACT, inputOf('function transfer(address,uint256)', BOB, 7).slice(0, -2)],
  ])('decodeCall returns null for %s', (_case, to, input) => {
    expect(standards.decodeCall(to, input)).toBeNull();
  });

  test('a log in upper case is decoded like one in lower case', () => {
    const log = logOf('event Transfer(address indexed from, address indexed to, uint256 value)', ALICE, BOB, 171);
    const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`;
    const decoded = standards.decodeEvent({ ...log, topics: log.topics.map(upper), data: upper(log.data) });
    expect(decoded).toEqual(standards.decodeEvent(log));
  });

  test.each(['5', '0x0', '0xzz'])('data %j that is not bytes is UPSTREAM_BAD_RESPONSE', (data) => {
    const log = logOf('event Transfer(address indexed from, address indexed to, uint256 value)', ALICE, BOB, 7);
    expect(() => standards.decodeEvent({ ...log, data })).toThrow(expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }));
  });

  test('a log without topics is null', () => {
    expect(standards.decodeEvent({ address: CONTRACT, topics: [], data: '0x' })).toBeNull();
  });
});

describe('describeError', () => {
  const errorOf = (fragment: string, ...values: unknown[]) => {
    const abi = new Interface([fragment]);
    return abi.encodeErrorResult(abi.fragments[0] as never, values);
  };
  const own = abiOf(
    CONTRACT,
    'error InsufficientBalance(uint256 available, uint256 required)',
    'error Named(string, string reason)',
  );

  test.each<[string, string, string | null]>([
    [
      'its arguments by name',
      errorOf('error InsufficientBalance(uint256, uint256)', 1, 2),
      'InsufficientBalance(available: 1, required: 2)',
    ],
    ['quoted strings', errorOf('error Named(string, string)', 'a", reason: "b', 'c'), 'Named("a\\", reason: \\"b", reason: "c")'],
    [
      'an error of ERC-6093',
      errorOf('error ERC20InsufficientBalance(address, uint256, uint256)', ALICE, 1, 2),
      `ERC20InsufficientBalance(sender: ${ALICE}, balance: 1, needed: 2)`,
    ],
    ['null for an unknown error', errorOf('error Other()'), null],
    ['null for an empty payload', '0x', null],
    ['null for a payload with a further byte', `${errorOf('error InsufficientBalance(uint256, uint256)', 1, 2)}00`, null],
  ])('describeError returns %s', (_case, payload, expected) => {
    expect(createAbiRegistry([own]).describeError(CONTRACT, payload)).toBe(expected);
  });

  test('describeError prefers the ABI of the target, and uses those for all contracts for others', () => {
    const payload = errorOf('error InsufficientBalance(uint256, uint256)', 1, 2);
    const registry = createAbiRegistry([own, abiOf(null, 'error InsufficientBalance(uint256 a, uint256 b)')]);
    expect(registry.describeError(CONTRACT, payload)).toBe('InsufficientBalance(available: 1, required: 2)');
    expect(registry.describeError(BOB, payload)).toBe('InsufficientBalance(a: 1, b: 2)');
    expect(registry.describeError(null, payload)).toBe('InsufficientBalance(a: 1, b: 2)');
  });
});

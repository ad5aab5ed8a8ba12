import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { parseAbi } from '../../../../src/ethereum/abi/parse.ts';
import { createAbiRegistry } from '../../../../src/ethereum/abi/registry.ts';
import { ALICE, BOB, CONTRACT, callInput, eventLog, lineOf } from '../../../support/abi-fixtures.ts';

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
    expect(String(lineOf(standards.decodeEvent(eventLog(fragment, ...values))))).toBe(expected);
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
    ['null for a function that only reads', 'function living()', [], 'null'],
    ['null for an unknown function', 'function unknown(uint256)', [1], 'null'],
  ])('the standards decode an input as %s', (_case, fragment, values, expected) => {
    expect(String(lineOf(standards.decodeCall(CONTRACT, callInput(fragment, ...values))))).toBe(expected);
  });

  test('the standards contain the ABI of the tournament contract, with its names', () => {
    const artifact = JSON.parse(
      readFileSync(new URL('../../../../devnet/contracts/artifacts/Tournament.json', import.meta.url), 'utf8'),
    ) as { abi: object[] };
    const contract = createAbiRegistry([{ address: CONTRACT, ...parseAbi(artifact) }]);
    const fragments = parseAbi(artifact).fragments.filter(
      (fragment) => !('stateMutability' in fragment && ['view', 'pure'].includes(fragment.stateMutability)),
    );
    expect(fragments.length).toBeGreaterThan(10);
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

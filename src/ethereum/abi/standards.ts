import { EventFragment, Fragment } from 'ethers/abi';
import type { Data } from '../hex.ts';
import type { AbiEntry, AbiFragment, AbiFunction } from './layouts.ts';
import { parseFunction } from './signature.ts';

/**
 * The functions that transactions call, without read-only functions. Names as in the specifications, without the
 * leading underscore; errors of ERC-6093.
 */
const ERC20 = [
  'function transfer(address to, uint256 value)',
  'function transferFrom(address from, address to, uint256 value)',
  'function approve(address spender, uint256 value)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
];

const ERC721 = [
  'function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)',
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
  'function transferFrom(address from, address to, uint256 tokenId)',
  'function approve(address approved, uint256 tokenId)',
  'function setApprovalForAll(address operator, bool approved)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  'error ERC721InvalidOwner(address owner)',
  'error ERC721NonexistentToken(uint256 tokenId)',
  'error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)',
  'error ERC721InvalidSender(address sender)',
  'error ERC721InvalidReceiver(address receiver)',
  'error ERC721InsufficientApproval(address operator, uint256 tokenId)',
  'error ERC721InvalidApprover(address approver)',
  'error ERC721InvalidOperator(address operator)',
];

const ERC1155 = [
  'function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)',
  'function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)',
  'function setApprovalForAll(address operator, bool approved)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  'event URI(string value, uint256 indexed id)',
  'error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)',
  'error ERC1155InvalidSender(address sender)',
  'error ERC1155InvalidReceiver(address receiver)',
  'error ERC1155MissingApprovalForAll(address operator, address owner)',
  'error ERC1155InvalidApprover(address approver)',
  'error ERC1155InvalidOperator(address operator)',
  'error ERC1155InvalidArrayLength(uint256 idsLength, uint256 valuesLength)',
];

/** The contract of the wizards (devnet/contracts/tournament.sol), without the parts of ERC-721. */
const TOURNAMENT = [
  'function create(uint8 affinity, uint256 power)',
  'function challenge(uint256 wizardId1, uint256 wizardId2, bytes32 commit1, uint256 duration)',
  'function accept(uint256 wizardId1, uint256 wizardId2, bytes32 commit1, bytes32 commit2)',
  'function reveal(bytes32 duelId, uint256 wizardId, bytes32 moveSet, bytes32 salt)',
  'function timeOut(bytes32 duelId)',
  'event WizardCreated(uint256 indexed wizardId, address indexed owner, uint8 affinity, uint256 power)',
  'event WizardPowerChanged(uint256 indexed wizardId, uint256 power)',
  'event WizardEliminated(uint256 indexed wizardId)',
  'event DuelStart(bytes32 indexed duelId, uint256 indexed wizardId1, uint256 indexed wizardId2, uint8 affinity1, uint8 affinity2, uint256 timeoutBlock, bool isAscensionBattle, bytes32 commit1, bytes32 commit2)',
  'event DuelEnd(bytes32 indexed duelId, uint256 indexed wizardId1, uint256 indexed wizardId2, bytes32 moveSet1, bytes32 moveSet2, uint256 startPower1, uint256 startPower2, uint256 endPower1, uint256 endPower2)',
  'event DuelTimeOut(bytes32 indexed duelId, uint256 indexed wizardId1, uint256 indexed wizardId2, uint256 startPower1, uint256 startPower2, uint256 endPower1, uint256 endPower2)',
];

const STANDARDS = { 'ERC-20': ERC20, 'ERC-721': ERC721, 'ERC-1155': ERC1155, Tournament: TOURNAMENT };

/** The errors of the language, which belong to no standard. */
const SOLIDITY_ERRORS = ['error Error(string)', 'error Panic(uint256)'];

/** The fragments that every server decodes. */
export const standardEntries = (): readonly AbiEntry[] =>
  Object.entries({ ...STANDARDS, '': SOLIDITY_ERRORS }).flatMap(([standard, texts]) =>
    texts.map((text) => ({ fragment: Fragment.from(text) as AbiFragment, standard: standard || null })),
  );

/** The first topic of an event of the tournament. */
export const tournamentTopic = (name: string): Data =>
  EventFragment.from(TOURNAMENT.find((text) => text.startsWith(`event ${name}(`))!).topicHash;

/** The functions of ERC-20, ERC-721, ERC-1155 and ERC-165 that only read. */
const READS = [
  'name()(string) symbol()(string) decimals()(uint8) totalSupply()(uint256) balanceOf(address)(uint256)',
  'allowance(address,address)(uint256) ownerOf(uint256)(address) tokenURI(uint256)(string) getApproved(uint256)(address)',
  'isApprovedForAll(address,address)(bool) balanceOf(address,uint256)(uint256) uri(uint256)(string)',
  'balanceOfBatch(address[],uint256[])(uint256[]) supportsInterface(bytes4)(bool)',
];

/** The functions that every server finds by name. */
export const standardReads = (): readonly AbiFunction[] =>
  READS.flatMap((line) => line.split(' ')).map((text) => parseFunction(text).complete!);

import { asData, asFields, asQuantity, type FieldTable, type RlpDigits } from './rlp.ts';

/** The header fields before the London fork, in RLP order. */
const BASE_FIELDS: FieldTable = [
  ['parentHash', asData],
  ['sha3Uncles', asData],
  ['miner', asData],
  ['stateRoot', asData],
  ['transactionsRoot', asData],
  ['receiptsRoot', asData],
  ['logsBloom', asData],
  ['difficulty', asQuantity],
  ['number', asQuantity],
  ['gasLimit', asQuantity],
  ['gasUsed', asQuantity],
  ['timestamp', asQuantity],
  ['extraData', asData],
  ['mixHash', asData],
  ['nonce', asData],
];

/**
 * Header fields added by forks, in RLP order: London, Shanghai, Cancun (three), Prague, Amsterdam (two). Each requires all before it.
 */
const FORK_FIELDS: FieldTable = [
  ['baseFeePerGas', asQuantity],
  ['withdrawalsRoot', asData],
  ['blobGasUsed', asQuantity],
  ['excessBlobGas', asQuantity],
  ['parentBeaconBlockRoot', asData],
  ['requestsHash', asData],
  ['blockAccessListHash', asData],
  ['slotNumber', asQuantity],
];

/** Names of all header fields, in RLP order. */
export const HEADER_FIELD_NAMES: readonly string[] = [...BASE_FIELDS, ...FORK_FIELDS].map(([name]) => name);

const newestForkField = (header: object): number =>
  FORK_FIELDS.findLastIndex(([name]) => {
    const value = (header as Readonly<Record<string, unknown>>)[name];
    return value !== undefined && value !== null;
  });

/** Returns the form of a header: the name of its newest fork field, or an empty string before London. */
export const headerForm = (header: object): string => FORK_FIELDS[newestForkField(header)]?.[0] ?? '';

const FORMS = [-1, ...FORK_FIELDS.keys()].map((newest) => asFields([...BASE_FIELDS, ...FORK_FIELDS.slice(0, newest + 1)]));

/** Encodes a header in RLP. Undefined when a field is missing or malformed. */
export const encodeHeader = (header: object): RlpDigits | undefined => FORMS[newestForkField(header) + 1]!(header);

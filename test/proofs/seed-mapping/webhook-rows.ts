import { BODIES } from '../../support/webhooks/bodies.ts';
import type { SeedRow } from './rows.ts';

type BodyType = keyof typeof BODIES;

/** The path to the only event of a type, which has the values of the body of this type that was sent before. */
const eventPath = (type: BodyType): string[] => [`webhookEvents(types: [${type}])`, 'nodes'];

const OBJECT_TYPES: Readonly<Record<BodyType, string>> = {
  MINED_TRANSACTION: 'MinedTransactionEvent',
  DROPPED_TRANSACTION: 'DroppedTransactionEvent',
  ADDRESS_ACTIVITY: 'AddressActivityEvent',
  GAS_PRICE: 'GasPriceEvent',
  CAPACITY_EXCEEDED: 'CapacityExceededEvent',
};

/** A row of a field that events of one type have. */
const row = (coordinate: string, type: BodyType, path: readonly string[], value: unknown): SeedRow => [
  coordinate,
  [...eventPath(type), `... on ${OBJECT_TYPES[type]}`, ...path],
  () => [value],
];

const commonRow = (field: string, value: unknown): SeedRow => [
  `WebhookEvent.${field}`,
  [...eventPath('MINED_TRANSACTION'), field],
  () => [value],
];

/** The transaction of a body, with the name of its input in the graph. */
const transactionOf = ({ fullTransaction: { input, ...values } }: { readonly fullTransaction: Record<string, unknown> }) => ({
  ...values,
  inputData: input,
});

const TRANSACTION =
  'fullTransaction { hash nonce blockHash blockNumber transactionIndex from to value gasPrice gas inputData v r s }';

/** An address of 20 bytes in 32. */
const unpad = (word: string): string => `0x${word.slice(-40)}`;

const { MINED_TRANSACTION: mined, DROPPED_TRANSACTION: dropped, CAPACITY_EXCEEDED: capacity } = BODIES;
const [transfer] = BODIES.ADDRESS_ACTIVITY.activity;
const { block_time, blockNum, ...prices } = BODIES.GAS_PRICE.gasPriceMetadata;

const activityRow = (coordinate: string, path: readonly string[], value: unknown): SeedRow =>
  row(coordinate, 'ADDRESS_ACTIVITY', ['activity', ...path], [value]);

/** Events of webhooks, by the bodies that were sent to the server. */
export const webhookRows: readonly SeedRow[] = [
  ...(['app', 'network', 'timestamp'] as const).map((field) => commonRow(field, mined[field])),
  commonRow('type', mined.webhookType),
  row('MinedTransactionEvent.fullTransaction', 'MINED_TRANSACTION', [TRANSACTION], transactionOf(mined)),
  row('DroppedTransactionEvent.hash', 'DROPPED_TRANSACTION', ['hash'], dropped.hash),
  row('DroppedTransactionEvent.fullTransaction', 'DROPPED_TRANSACTION', [TRANSACTION], transactionOf(dropped)),
  activityRow('AddressActivityEvent.activity', ['rawContract', 'rawValue'], transfer.rawContract.rawValue),
  activityRow('AddressActivity.from', ['from', 'address'], unpad(transfer.fromAddress)),
  activityRow('AddressActivity.to', ['to', 'address'], unpad(transfer.toAddress)),
  activityRow('AddressActivity.blockNumber', ['blockNumber'], transfer.blockNum),
  ...(['category', 'value', 'asset'] as const).map((field) => activityRow(`AddressActivity.${field}`, [field], transfer[field])),
  ...(['rawValue', 'address', 'decimals'] as const).map((field) =>
    activityRow(`RawContract.${field}`, ['rawContract', field], transfer.rawContract[field]),
  ),
  ...Object.entries({ ...prices, blockTime: block_time, blockNumber: `0x${blockNum.toString(16)}` }).map(([field, value]) =>
    row(`GasPriceMetadata.${field}`, 'GAS_PRICE', ['gasPrice', field], value),
  ),
  row('CapacityExceededEvent.error', 'CAPACITY_EXCEEDED', ['error'], capacity.error),
  row('CapacityExceededEvent.webhookType', 'CAPACITY_EXCEEDED', ['webhookType'], capacity.webhookType),
];

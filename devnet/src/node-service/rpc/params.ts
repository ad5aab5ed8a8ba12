import { z } from 'zod';
import { invalidParams } from './rpc-error.ts';

/** Errors use the type notation of the service description. Hex digits are case-insensitive; addresses and hashes become lower case. */
const text = (pattern: RegExp, expected: string) => z.string(expected).regex(pattern, expected);
const bytes = (count: number) =>
  text(new RegExp(`^0x[0-9a-fA-F]{${2 * count}}$`), `want DATA, ${count} Bytes`).transform((hex) => hex.toLowerCase());

export const addressParam = bytes(20);
export const hashParam = bytes(32);
export const dataParam = text(/^0x(?:[0-9a-fA-F]{2})*$/, 'want DATA');
/** Without leading zeros, as geth requires, and at most 256 bits. */
export const quantityParam = text(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/, 'want QUANTITY');
export const booleanParam = z.boolean('want a boolean');
export const stringParam = z.string('want a string');

/** Block number or tag: the three documented tags, and the two that nodes have since the merge. */
export const blockNumberParam = text(
  /^(?:0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})|earliest|latest|pending|safe|finalized)$/,
  'want QUANTITY|TAG',
);

/** Block of a state read. Also accepts an EIP-1898 object, as providers and anvil do. */
export const stateBlockParam = z.union(
  [
    blockNumberParam,
    z.strictObject({ blockHash: hashParam, requireCanonical: z.boolean().optional() }),
    z.strictObject({ blockNumber: quantityParam }),
  ],
  'want QUANTITY|TAG',
);

/** `eth_getProof` takes QUANTITY, `latest` or `earliest`: pending state has no proof. */
export const proofBlockParam = stateBlockParam.refine((block) => block !== 'pending', 'want QUANTITY, `latest` or `earliest`');

/** A storage slot of up to 32 bytes, padded to 32 bytes: geth accepts both forms, anvil not everywhere. */
export const storageSlotParam = text(/^0x[0-9a-fA-F]{1,64}$/, 'want a storage position of up to 32 bytes').transform(
  (hex) => `0x${hex.slice(2).toLowerCase().padStart(64, '0')}`,
);
export const storageSlotsParam = z.array(storageSlotParam, 'want an array of 32-byte storage keys');

/** `to` is required, as documented. Other fields (type 2 fees, access lists, `input`) are passed through to anvil. */
export const callObjectParam = z.looseObject(
  {
    to: addressParam,
    from: addressParam.optional(),
    gas: quantityParam.optional(),
    gasPrice: quantityParam.optional(),
    value: quantityParam.optional(),
    data: dataParam.optional(),
  },
  'want a call object',
);

const topicParam = z.union([z.null(), hashParam, z.array(hashParam)], 'want null, a topic or an array of topics');
/** Topics by position, at most four. */
const topicsParam = z.array(topicParam, 'want an array of topics').max(4, 'want at most 4 topics');
const addressesParam = z.union([addressParam, z.array(addressParam)], 'want DATA, 20 Bytes, or an array of them');

const BLOCK_HASH_WITH_RANGE = 'blockhash and fromBlock/toBlock exclude each other';
/** A log filter. The documented `blockhash` and the standard `blockHash` are one field. */
export const logFilterParam = z
  .strictObject(
    {
      fromBlock: blockNumberParam.optional(),
      toBlock: blockNumberParam.optional(),
      address: addressesParam.nullish(),
      topics: topicsParam.nullish(),
      blockhash: hashParam.optional(),
      blockHash: hashParam.optional(),
    },
    'want a filter object',
  )
  .transform(({ blockhash, blockHash = blockhash, ...rest }) => ({ ...rest, ...(blockHash !== undefined && { blockHash }) }))
  .refine(
    (filter) => filter.blockHash === undefined || (filter.fromBlock === undefined && filter.toBlock === undefined),
    BLOCK_HASH_WITH_RANGE,
  );

export type LogFilterParam = z.output<typeof logFilterParam>;

/** Parameter of `svc_getTokenAllowance`. */
export const allowanceParam = z.strictObject(
  { contract: addressParam, owner: addressParam, spender: addressParam },
  'want an object of contract, owner and spender',
);
export const contractsParam = z.array(addressParam, 'want an array of contract addresses');

/** Options of `eth_subscribe` for `logs`. */
export const logOptionsParam = z.strictObject(
  { address: addressesParam.nullish(), topics: topicsParam.nullish() },
  'want an object of address and topics',
);
export type LogSubscriptionOptions = z.output<typeof logOptionsParam>;

type Values<Schemas extends readonly z.ZodType[]> = { [Index in keyof Schemas]: z.output<Schemas[Index]> };

/** Validates positional parameters. Error messages follow geth's. */
export function readParams<const Schemas extends readonly z.ZodType[]>(schemas: Schemas, params: readonly unknown[]) {
  if (params.length > schemas.length) throw invalidParams(`too many arguments, want at most ${schemas.length}`);
  const values = schemas.map((schema, index) => {
    const { success, data: value, error } = schema.safeParse(params[index]);
    if (success) return value;
    if (params[index] === undefined) throw invalidParams(`missing value for required argument ${index}`);
    const { message, path } = error.issues[0]!;
    throw invalidParams(`invalid argument ${index}${path.map((key) => `.${String(key)}`).join('')}: ${message}`);
  });
  return values as Values<Schemas>;
}

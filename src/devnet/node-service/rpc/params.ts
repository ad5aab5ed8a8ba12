import { z } from 'zod';
import { invalidParams } from './rpc-error.ts';

/** The seed's type notation. Case of hex digits does not matter on the way in; addresses and hashes are made lower case. */
const text = (pattern: RegExp, want: string) => z.string(want).regex(pattern, want);
const bytes = (count: number) =>
  text(new RegExp(`^0x[0-9a-fA-F]{${2 * count}}$`), `want DATA, ${count} Bytes`).transform((hex) => hex.toLowerCase());

export const addressParam = bytes(20);
export const hashParam = bytes(32);
export const dataParam = text(/^0x(?:[0-9a-fA-F]{2})*$/, 'want DATA');
/** Without leading zeros, as geth insists, and of no more than 256 bits. */
export const quantityParam = text(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/, 'want QUANTITY');
export const booleanParam = z.boolean('want a boolean');
export const string = z.string('want a string');

/** QUANTITY|TAG of a block that is looked up: the seed's three tags, and the two that every node has since the merge. */
export const blockNumberParam = text(
  /^(?:0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})|earliest|latest|pending|safe|finalized)$/,
  'want QUANTITY|TAG',
);

/** QUANTITY|TAG of the block whose state is read; beyond the seed an EIP-1898 object too, which providers and anvil take. */
export const stateBlockParam = z.union(
  [
    blockNumberParam,
    z.strictObject({ blockHash: hashParam, requireCanonical: z.boolean().optional() }),
    z.strictObject({ blockNumber: quantityParam }),
  ],
  'want QUANTITY|TAG',
);

/** `eth_getProof` takes QUANTITY, `latest` or `earliest`: there is no proof for what is pending. */
export const proofBlockParam = stateBlockParam.refine((block) => block !== 'pending', 'want QUANTITY, `latest` or `earliest`');

/** Up to 32 bytes, with or without leading zeros, made 32 bytes: geth takes both for places in storage, anvil not everywhere. */
export const storageSlotParam = text(/^0x[0-9a-fA-F]{1,64}$/, 'want a storage position of up to 32 bytes').transform(
  (hex) => `0x${hex.slice(2).toLowerCase().padStart(64, '0')}`,
);
export const storageSlotsParam = z.array(storageSlotParam, 'want an array of 32-byte storage keys');

/** `to` is required, as the seed says. What is beyond the seed (fees of type 2, access lists, `input`) goes to anvil as it is. */
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
/** By position; four at the most, because no log has more. */
export const topicsParam = z.array(topicParam, 'want an array of topics').max(4, 'want at most 4 topics');
export const addressesParam = z.union([addressParam, z.array(addressParam)], 'want DATA, 20 Bytes, or an array of them');

const BLOCK_HASH_WITH_RANGE = 'blockhash and fromBlock/toBlock exclude each other';
/** The seed's filter. Its `blockhash` and the standard's `blockHash` are the same field. */
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
  .refine((it) => it.blockHash === undefined || (it.fromBlock === undefined && it.toBlock === undefined), BLOCK_HASH_WITH_RANGE);

export type LogFilterParam = z.output<typeof logFilterParam>;

/** What `svc_getTokenAllowance` takes. */
export const allowanceParam = z.strictObject(
  { contract: addressParam, owner: addressParam, spender: addressParam },
  'want an object of contract, owner and spender',
);
export const contractsParam = z.array(addressParam, 'want an array of contract addresses');

/** What `eth_subscribe` takes for `logs`. No blocks here: a subscription is about blocks to come. */
export const logOptionsParam = z.strictObject(
  { address: addressesParam.nullish(), topics: topicsParam.nullish() },
  'want an object of address and topics',
);
export type LogSubscriptionOptions = z.output<typeof logOptionsParam>;

type Values<Schemas extends readonly z.ZodType[]> = { [Place in keyof Schemas]: z.output<Schemas[Place]> };

/** Reads positional parameters; the text of a refusal is in the manner of geth's. */
export function readParams<const Schemas extends readonly z.ZodType[]>(schemas: Schemas, params: readonly unknown[]) {
  if (params.length > schemas.length) throw invalidParams(`too many arguments, want at most ${schemas.length}`);
  const values = schemas.map((schema, place) => {
    const { success, data: value, error } = schema.safeParse(params[place]);
    if (success) return value;
    if (params[place] === undefined) throw invalidParams(`missing value for required argument ${place}`);
    const { message, path } = error.issues[0]!;
    throw invalidParams(`invalid argument ${place}${path.map((key) => `.${String(key)}`).join('')}: ${message}`);
  });
  return values as Values<Schemas>;
}

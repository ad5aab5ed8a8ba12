import { z } from 'zod';
import { invalidParams } from './rpc-error.ts';

/** The seed's type notation. Case of hex digits does not matter on the way in; addresses and hashes are made lower case. */
const text = (pattern: RegExp, want: string) => z.string(want).regex(pattern, want);
const bytes = (count: number) =>
  text(new RegExp(`^0x[0-9a-fA-F]{${2 * count}}$`), `want DATA, ${count} Bytes`).transform((hex) => hex.toLowerCase());

export const address = bytes(20);
export const hash = bytes(32);
export const data = text(/^0x(?:[0-9a-fA-F]{2})*$/, 'want DATA');
/** Without leading zeros, as geth insists, and of no more than 256 bits. */
export const quantity = text(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/, 'want QUANTITY');
export const boolean = z.boolean('want a boolean');
export const string = z.string('want a string');

/** QUANTITY|TAG of a block that is looked up: the seed's three tags, and the two that every node has since the merge. */
export const blockNumber = text(
  /^(?:0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})|earliest|latest|pending|safe|finalized)$/,
  'want QUANTITY|TAG',
);

/** QUANTITY|TAG of the block whose state is read; beyond the seed an EIP-1898 object too, which providers and anvil take. */
export const stateBlock = z.union(
  [
    blockNumber,
    z.strictObject({ blockHash: hash, requireCanonical: z.boolean().optional() }),
    z.strictObject({ blockNumber: quantity }),
  ],
  'want QUANTITY|TAG',
);

/** `eth_getProof` takes QUANTITY, `latest` or `earliest`: there is no proof for what is pending. */
export const proofBlock = stateBlock.refine((block) => block !== 'pending', 'want QUANTITY, `latest` or `earliest`');

/** Up to 32 bytes, with or without leading zeros, made 32 bytes: geth takes both for places in storage, anvil not everywhere. */
export const slot = text(/^0x[0-9a-fA-F]{1,64}$/, 'want a storage position of up to 32 bytes').transform(
  (hex) => `0x${hex.slice(2).toLowerCase().padStart(64, '0')}`,
);
export const slots = z.array(slot, 'want an array of 32-byte storage keys');

/** `to` is required, as the seed says. What is beyond the seed (fees of type 2, access lists, `input`) goes to anvil as it is. */
export const callObject = z.looseObject(
  {
    to: address,
    from: address.optional(),
    gas: quantity.optional(),
    gasPrice: quantity.optional(),
    value: quantity.optional(),
    data: data.optional(),
  },
  'want a call object',
);

const topic = z.union([z.null(), hash, z.array(hash)], 'want null, a topic or an array of topics');
/** By position; four at the most, because no log has more. */
export const topics = z.array(topic, 'want an array of topics').max(4, 'want at most 4 topics');
export const addresses = z.union([address, z.array(address)], 'want DATA, 20 Bytes, or an array of them');

const blockhashAlone = 'blockhash and fromBlock/toBlock exclude each other';
/** The seed's filter. Its `blockhash` and the standard's `blockHash` are the same field. */
export const filter = z
  .strictObject(
    {
      fromBlock: blockNumber.optional(),
      toBlock: blockNumber.optional(),
      address: addresses.nullish(),
      topics: topics.nullish(),
      blockhash: hash.optional(),
      blockHash: hash.optional(),
    },
    'want a filter object',
  )
  .transform(({ blockhash, blockHash = blockhash, ...rest }) => ({ ...rest, ...(blockHash !== undefined && { blockHash }) }))
  .refine((it) => it.blockHash === undefined || (it.fromBlock === undefined && it.toBlock === undefined), blockhashAlone);

export type Filter = z.output<typeof filter>;

/** What `svc_getTokenAllowance` takes. */
export const allowance = z.strictObject(
  { contract: address, owner: address, spender: address },
  'want an object of contract, owner and spender',
);
export const contracts = z.array(address, 'want an array of contract addresses');

/** What `eth_subscribe` takes for `logs`. No blocks here: a subscription is about blocks to come. */
export const logOptions = z.strictObject(
  { address: addresses.nullish(), topics: topics.nullish() },
  'want an object of address and topics',
);
export type LogOptions = z.output<typeof logOptions>;

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

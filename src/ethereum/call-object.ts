import { isNullish } from './block-results.ts';
import type { RpcAccessTuple, RpcAuthorization } from './rpc-types.ts';

const CALL_FIELDS = [
  ...(['from', 'to', 'gas', 'gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas', 'value', 'data'] as const),
  ...(['nonce', 'maxFeePerBlobGas', 'blobVersionedHashes', 'accessList'] as const),
];

/** The fields of a call that are lists. */
interface CallLists {
  readonly blobVersionedHashes: readonly string[];
  readonly accessList: readonly RpcAccessTuple[];
}

type CallField = (typeof CALL_FIELDS)[number];
type CallValue<Field extends CallField> = Field extends keyof CallLists ? CallLists[Field] : string;

/** A signed authorization as a client gives it (EIP-7702): the input `AuthorizationInput`. */
type SignedAuthorization = Omit<RpcAuthorization, 'chainId'> & { readonly chainID: string };

/** A message call as a client gives it, in 0x-hex: the input `CallData`. */
export type MessageCall = { readonly [Field in CallField]?: CallValue<Field> | null | undefined } & {
  readonly authorizationList?: readonly SignedAuthorization[] | null | undefined;
};

/** The call object of `eth_call`, `eth_estimateGas` and other methods that execute a message call. */
export type RpcCallObject = { readonly [Field in CallField]?: CallValue<Field> } & {
  readonly authorizationList?: readonly RpcAuthorization[];
};

/** Characters of 32 bytes in hex. */
const WORD_CHARS = 64;
/** Words of an authorization: each of its values. */
const AUTHORIZATION_WORDS = 6;

/** Number of words of 32 bytes in data in hex, unchecked. */
export const countDataWords = (data: unknown): number =>
  typeof data === 'string' ? Math.ceil((data.length - 2) / WORD_CHARS) : 0;

/** Number of words of 32 bytes in the data and the lists of a call. */
export function countCallWords({ data, accessList, blobVersionedHashes, authorizationList }: RpcCallObject): number {
  const listed = accessList?.reduce((sum, { storageKeys }) => sum + 1 + storageKeys.length, 0) ?? 0;
  const authorized = AUTHORIZATION_WORDS * (authorizationList?.length ?? 0);
  return countDataWords(data) + listed + (blobVersionedHashes?.length ?? 0) + authorized;
}

/** Returns an object without the properties that have no value. */
export const definedProperties = <T extends object>(object: T) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => !isNullish(value))) as {
    readonly [Key in keyof T]?: NonNullable<T[Key]>;
  };

/** Builds the call object in a canonical form, so that equal calls result in equal parameters: given fields only, in a fixed order. */
export function toRpcCallObject({ authorizationList, ...call }: MessageCall): RpcCallObject {
  const authorizations = authorizationList?.map(({ chainID, ...signed }) => ({ chainId: chainID, ...signed }));
  const fields = Object.fromEntries(CALL_FIELDS.map((field) => [field, call[field]]));
  return definedProperties({ ...fields, authorizationList: authorizations }) as RpcCallObject;
}

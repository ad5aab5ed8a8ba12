const CALL_FIELDS = ['from', 'to', 'gas', 'gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas', 'value', 'data'] as const;

/** A message call as a client gives it, in 0x-hex: the input `CallData`. */
export type MessageCall = { readonly [Field in (typeof CALL_FIELDS)[number]]?: string | null | undefined };

/** The call object of `eth_call`, `eth_estimateGas` and other methods that execute a message call. */
export type RpcCallObject = { readonly [Field in keyof MessageCall]?: string };

/** Characters of 32 bytes in hex. */
const WORD_CHARS = 64;

/** Number of words of 32 bytes in the data of a call, unchecked. */
export const countDataWords = (data: unknown): number =>
  typeof data === 'string' ? Math.ceil((data.length - 2) / WORD_CHARS) : 0;

/** Builds the call object in a canonical form, so that equal calls result in equal parameters: given fields only, in a fixed order. */
export function toRpcCallObject(call: MessageCall): RpcCallObject {
  const object: Record<string, string> = {};
  for (const field of CALL_FIELDS) {
    const value = call[field];
    if (value !== null && value !== undefined) object[field] = value;
  }
  return object;
}

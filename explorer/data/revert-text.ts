/** Selector of `Error(string)`, the offset of its text, and then the length of the text. */
const ERROR_STRING = /^0x08c379a00{62}20([0-9a-f]{64})((?:[0-9a-f]{2})*)$/;

/** The text of `Error(string)` in the payload of a revert; null for any other payload. */
export function revertText(payload: string): string | null {
  const [, length, bytes] = ERROR_STRING.exec(payload) ?? [];
  if (length === undefined || bytes === undefined) return null;
  const text = bytes.slice(0, 2 * Number(`0x${length}`)).match(/../g) ?? [];
  return new TextDecoder().decode(Uint8Array.from(text, (byte) => Number.parseInt(byte, 16)));
}

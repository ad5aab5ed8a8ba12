/** Whether a text is a height or an id of a wizard, a hash, or neither. */
export const kindOf = (text: string): 'number' | 'hash' | null =>
  /^[0-9]{1,15}$/.test(text) ? 'number' : /^0x[0-9a-f]{64}$/i.test(text) ? 'hash' : null;

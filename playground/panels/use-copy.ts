import { useState } from 'react';
import { copyText } from '../copy-text.ts';

/** Time for which a button shows its result, in milliseconds. */
const SHOWN_MS = 2000;

/** Returns whether a text has just been copied, null before, and a function that copies one. */
export function useCopy(): readonly [isCopied: boolean | null, copy: (text: string) => Promise<void>] {
  const [isCopied, setCopied] = useState<boolean | null>(null);
  const copy = async (text: string) => {
    setCopied(await copyText(text));
    setTimeout(() => setCopied(null), SHOWN_MS);
  };
  return [isCopied, copy];
}

/** The text of a button that copies. */
export const copyLabel = (isCopied: boolean | null): string => (isCopied === null ? 'Copy' : isCopied ? 'Copied' : 'Not copied');

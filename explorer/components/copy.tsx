import { useState } from 'react';

/** Copies a text. Pages without TLS have no clipboard: the browser then copies the selection of an input. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const input = document.createElement('textarea');
  input.value = text;
  document.body.append(input);
  input.select();
  document.execCommand('copy');
  input.remove();
}

const COPIED_VISIBLE_MS = 1_500;

/** A button that copies a value. */
export function CopyButton({ value, name }: { readonly value: string; readonly name: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_VISIBLE_MS);
  };
  return (
    <button type="button" className="copy" aria-label={isCopied ? 'Copied' : `Copy ${name}`} onClick={() => void copy()}>
      {isCopied ? '✓' : 'Copy'}
    </button>
  );
}

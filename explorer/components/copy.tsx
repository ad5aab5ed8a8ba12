import { useCopy } from '../../playground/panels/use-copy.ts';

/** A button that copies a value. */
export function CopyButton({ value, name }: { readonly value: string; readonly name: string }) {
  const [isCopied, copy] = useCopy();
  return (
    <button type="button" className="copy" aria-label={isCopied ? 'Copied' : `Copy ${name}`} onClick={() => void copy(value)}>
      {isCopied ? '✓' : 'Copy'}
    </button>
  );
}

import { type FormEvent, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

const isEditable = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** The input for everything that the explorer can find. The key `/` focuses it. */
export function Search() {
  const [, navigate] = useLocation();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isEditable(event)) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { current } = input;
    const text = current?.value.trim();
    if (!current || !text) return;
    navigate(`/search/${encodeURIComponent(text)}`);
    current.value = '';
    current.blur();
  };
  return (
    <search>
      <form onSubmit={submit}>
        <input
          ref={input}
          name="search"
          type="search"
          aria-label="Search: block, hash, address, token, wizard or duel"
          aria-keyshortcuts="/"
          placeholder="Block, hash, address, token, wizard 1"
          autoComplete="off"
          spellCheck={false}
        />
      </form>
    </search>
  );
}

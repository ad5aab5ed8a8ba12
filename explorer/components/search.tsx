import type { FormEvent } from 'react';
import { useLocation } from 'wouter';

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** The path of a search: that of the account for an address, that of the search page for anything else. */
export const searchPath = (text: string): string =>
  ADDRESS.test(text) ? `/address/${text}` : `/search/${encodeURIComponent(text)}`;

/** The input for a height, a hash, an address or an id. */
export function Search() {
  const [, navigate] = useLocation();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = event.currentTarget.elements.namedItem('search') as HTMLInputElement;
    const text = input.value.trim();
    if (text === '') return;
    navigate(searchPath(text));
    input.value = '';
    input.blur();
  };
  return (
    <search>
      <form onSubmit={submit}>
        <input
          name="search"
          type="search"
          aria-label="Search by block number, hash, address or id"
          placeholder="Block number, hash, address or id"
          autoComplete="off"
          spellCheck={false}
        />
      </form>
    </search>
  );
}

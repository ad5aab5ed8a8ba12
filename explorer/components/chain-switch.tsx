import { useChains } from '../data/chains.ts';
import { linkOnChain, pageChain } from '../graph/chain.ts';

/** Opens the same page on another chain, if the server serves several. */
export function ChainSwitch() {
  const chains = useChains();
  if (chains.length < 2) return null;
  const current = pageChain ?? chains[0] ?? '';
  const known = chains.filter((chain) => chain !== null);
  const options = known.includes(current) ? known : [current, ...known];
  return (
    <select
      className="chain-switch"
      aria-label="Chain"
      value={current}
      // Without the other parameters: cursors belong to a chain.
      onChange={({ target }) => location.assign(linkOnChain(location.pathname, target.value))}
    >
      {options.map((chain) => (
        <option key={chain} value={chain}>
          {chain ? `Chain ${chain}` : 'Default chain'}
        </option>
      ))}
    </select>
  );
}

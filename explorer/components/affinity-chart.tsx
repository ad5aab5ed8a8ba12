import { AffinityIcon, type AffinityName, affinityName } from './affinity.tsx';
import { formatPower } from './format.ts';

interface AffinityChartProps {
  readonly groups: readonly { readonly affinity: AffinityName; readonly count: number; readonly power: bigint }[];
}

/** A bar for the power of each element. The strongest is the first. */
export function AffinityChart({ groups }: AffinityChartProps) {
  const max = groups[0]?.power || 1n;
  return (
    <ul className="affinity-chart">
      {groups.map(({ affinity, count, power }) => (
        <li key={affinity}>
          <AffinityIcon affinity={affinity} size={22} />
          <span>
            {affinityName(affinity)} <small>{count}</small>
          </span>
          <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            <rect className={`symbol-fill ${affinityName(affinity)}`} width={Number((power * 1000n) / max) / 10} height="10" />
          </svg>
          <span className="number">{formatPower(String(power))}</span>
        </li>
      ))}
    </ul>
  );
}

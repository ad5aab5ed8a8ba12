import { Link } from 'wouter';
import type { HeadRow } from '../data/heads.ts';
import { formatCompact, formatFee, formatInteger } from './format.ts';

const HEIGHT = 150;
const BASELINE = HEIGHT - 18;
const STEP = 20;

/** Number of blocks: fewer on a narrow screen, where each would be too thin. */
const barCount = (): number => (matchMedia('(max-width: 48rem)').matches ? 20 : 40);

/** A bar for the gas of each block, and a line for the base fee. Bars of removed blocks are hollow until they disappear. */
export function GasChart({ heads }: { readonly heads: readonly HeadRow[] }) {
  const bars = barCount();
  const width = bars * STEP;
  const rows = heads
    .toReversed()
    .toSorted((a, b) => a.block.number - b.block.number)
    .slice(-bars);
  const maxGas = Math.max(1, ...rows.map(({ block }) => block.gasUsed));
  const limit = rows.at(-1)?.block.gasLimit ?? 0;
  const left = (index: number) => (bars - rows.length + index) * STEP;
  return (
    <figure className="gas-chart">
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={`Gas of the last ${rows.length} blocks`}>
        <line x1="0" x2={width} y1={BASELINE} y2={BASELINE} className="axis" />
        {rows.map((row, index) => (
          <GasBar
            key={row.block.hash}
            row={row}
            x={left(index)}
            maxGas={maxGas}
            isLabelled={index % 8 === (rows.length - 1) % 8}
          />
        ))}
        <FeeLine rows={rows} left={left} />
      </svg>
      <figcaption>
        <span className="legend gas">gas used, at most {formatCompact(maxGas)}</span>
        <span className="legend fee">base fee</span>
        <span>limit {formatCompact(limit)}</span>
      </figcaption>
    </figure>
  );
}

interface GasBarProps {
  readonly row: HeadRow;
  readonly x: number;
  readonly maxGas: number;
  readonly isLabelled: boolean;
}

function GasBar({ row: { block, isRemoved }, x, maxGas, isLabelled }: GasBarProps) {
  const height = Math.max(2, (block.gasUsed / maxGas) * (BASELINE - 12));
  const text = `Block ${block.number}: ${formatInteger(block.gasUsed)} gas, ${block.transactionCount ?? 0} transactions`;
  return (
    // The table of blocks has the same links for the keyboard.
    <Link href={`/block/${block.number}`} className={isRemoved ? 'bar removed-bar' : 'bar'} tabIndex={-1}>
      <title>{block.baseFeePerGas ? `${text}, base fee ${formatFee(block.baseFeePerGas)}` : text}</title>
      <rect x={x} y="0" width={STEP} height={BASELINE} className="target" />
      <rect x={x + 2} y={BASELINE - height} width={STEP - 4} height={height} rx="2" />
      {isLabelled && (
        <text x={x + STEP / 2} y={HEIGHT - 4} textAnchor="middle">
          {block.number}
        </text>
      )}
    </Link>
  );
}

function FeeLine({ rows, left }: { readonly rows: readonly HeadRow[]; readonly left: (index: number) => number }) {
  const fees = rows.map(({ block }) => Number(block.baseFeePerGas ?? 0));
  const max = Math.max(1, ...fees);
  const points = fees.map((fee, index) => `${left(index) + STEP / 2},${BASELINE - (fee / max) * (BASELINE - 12)}`);
  return <polyline points={points.join(' ')} className="fee-line" />;
}

/** The gas of one block as a part of its limit. */
export const GasMeter = ({ used, limit }: { readonly used: number; readonly limit: number }) => (
  <span className="meter">
    <meter value={used} max={limit} aria-label="Gas used" />
    {formatInteger(used)} of {formatCompact(limit)} ({((100 * used) / limit).toFixed(1)} %)
  </span>
);

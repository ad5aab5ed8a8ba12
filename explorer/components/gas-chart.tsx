import { toBigInt } from '@grimoire/client';
import { Link } from 'wouter';
import type { HeadRow } from '../data/heads.ts';
import { formatCompact, formatFee, formatInteger } from './format.ts';

const HEIGHT = 150;
const BASELINE = HEIGHT - 18;
const STEP = 20;
/** Room for the label of the greatest base fee. */
const TOP = 16;

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
  const maxGas = Math.max(0, ...rows.map(({ block }) => block.gasUsed));
  const limit = rows.at(-1)?.block.gasLimit ?? 0;
  const left = (index: number) => (bars - rows.length + index) * STEP;
  const fees = feeRange(rows.flatMap(({ block }) => block.baseFeePerGas ?? []));
  return (
    <figure className="gas-chart">
      {/* The table of blocks has the same values and links. */}
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden="true">
        <line x1="0" x2={width} y1={BASELINE} y2={BASELINE} className="axis" />
        {rows.map((row, index) => (
          <GasBar
            key={row.block.hash}
            row={row}
            x={left(index)}
            maxGas={maxGas || 1}
            isLabelled={index % 8 === (rows.length - 1) % 8}
            isLast={index === rows.length - 1}
          />
        ))}
        {fees && <FeeLine rows={rows} range={fees} left={left} />}
        {fees && <FeeAxis range={fees} />}
      </svg>
      <figcaption>
        <span className="legend gas">
          gas used{maxGas > 0 && `, at most ${formatCompact(maxGas)}`} of {formatCompact(limit)}
        </span>
        {fees && (
          <span className="legend fee">
            base fee {formatFee(fees.min)}
            {fees.min !== fees.max && ` to ${formatFee(fees.max)}`}
          </span>
        )}
      </figcaption>
    </figure>
  );
}

interface GasBarProps {
  readonly row: HeadRow;
  readonly x: number;
  readonly maxGas: number;
  readonly isLabelled: boolean;
  readonly isLast: boolean;
}

function GasBar({ row: { block, isRemoved }, x, maxGas, isLabelled, isLast }: GasBarProps) {
  const height = Math.max(2, (block.gasUsed / maxGas) * (BASELINE - TOP));
  const text = `Block ${block.number}: ${formatInteger(block.gasUsed)} gas`;
  const count = block.transactionCount === null ? '' : `, ${block.transactionCount} transactions`;
  return (
    // The table of blocks has the same links for the keyboard.
    <Link href={`/block/${block.number}`} className={isRemoved ? 'bar removed-bar' : 'bar'} tabIndex={-1}>
      <title>{block.baseFeePerGas ? `${text}${count}, base fee ${formatFee(block.baseFeePerGas)}` : text + count}</title>
      <rect x={x} y="0" width={STEP} height={BASELINE} className="target" />
      <rect x={x + 2} y={BASELINE - height} width={STEP - 4} height={height} rx="2" />
      {isLabelled && (
        <text x={isLast ? x + STEP : x + STEP / 2} y={HEIGHT - 4} textAnchor={isLast ? 'end' : 'middle'}>
          {formatInteger(block.number)}
        </text>
      )}
    </Link>
  );
}

/** The least and the greatest base fee, in wei as decimal numbers; null without any, as before London. */
function feeRange(fees: readonly string[]) {
  if (fees.length === 0) return null;
  const sorted = fees.map((fee) => toBigInt(fee)).sort((a, b) => (a < b ? -1 : 1));
  return { min: String(sorted[0]), max: String(sorted.at(-1)) };
}

type FeeRange = NonNullable<ReturnType<typeof feeRange>>;

/** The line has its own scale from the least to the greatest fee; equal fees are in the middle. */
const feeHeight = (fee: string | number, { min, max }: FeeRange): number =>
  min === max ? (TOP + BASELINE) / 2 : BASELINE - ((Number(fee) - Number(min)) / (Number(max) - Number(min))) * (BASELINE - TOP);

interface FeeLineProps {
  readonly rows: readonly HeadRow[];
  readonly range: FeeRange;
  readonly left: (index: number) => number;
}

function FeeLine({ rows, range, left }: FeeLineProps) {
  // A removed block is beside the block of the same height that replaces it: the line connects those of the chain.
  const points = rows.flatMap(({ block, isRemoved }, index) =>
    isRemoved ? [] : `${left(index) + STEP / 2},${feeHeight(block.baseFeePerGas ?? range.min, range)}`,
  );
  return <polyline points={points.join(' ')} className="fee-line" />;
}

/** The least and the greatest base fee at their heights. */
const FeeAxis = ({ range }: { readonly range: FeeRange }) =>
  [...new Set([range.min, range.max])].map((fee) => (
    <text key={fee} x="2" y={feeHeight(fee, range) - 4} className="fee-label">
      {formatFee(fee)}
    </text>
  ));

/** The gas of one block as a part of its limit. */
export const GasMeter = ({ used, limit }: { readonly used: number; readonly limit: number }) => (
  <span className="meter">
    <meter value={used} max={limit} aria-label="Gas used" />
    {formatInteger(used)} of {formatCompact(limit)} {limit > 0 && `(${((100 * used) / limit).toFixed(1)} %)`}
  </span>
);

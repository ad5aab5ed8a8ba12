import type { Measurement } from './measure.ts';
import type { Scenario } from './scenarios.ts';

export const TABLE_HEAD = `| question | who | CPU a request, floor = 1 | least - most | upstream HTTP/calls | peak MiB |
|---|---|---|---|---|---|`;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Two or three digits; a dash for what was not measured. */
const formatNumber = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) : '-';

const isFloor = ({ program }: Measurement) => program === 'floor' || program === 'raw';

/** Rows of a question: ratios are taken within a round, so that a slow minute of the machine slows both sides. */
export function rows(question: Scenario, figures: readonly Measurement[]): string[] {
  const floor = figures.find(isFloor);
  return figures.map((one, i) => {
    const ratios = one.cpu.map((cpu, round) => cpu / (floor?.cpu[round] ?? Number.NaN));
    const cpu =
      isFloor(one) || !floor
        ? `${floor ? '1 ' : ''}(${formatNumber(median(one.cpu))} ms)`
        : `**${formatNumber(median(ratios))}**`;
    const spread = isFloor(one) || !floor ? '' : `${formatNumber(Math.min(...ratios))} - ${formatNumber(Math.max(...ratios))}`;
    const { http, calls } = one.upstream;
    return `| ${i === 0 ? question.title : ''} | ${one.program} | ${cpu} | ${spread} | ${http}/${calls} | ${Math.round(one.peak) || '-'} |`;
  });
}

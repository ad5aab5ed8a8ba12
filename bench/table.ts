import type { Measurement } from './measure.ts';
import type { Scenario } from './scenarios.ts';

export const TABLE_HEAD = `| scenario | contender | CPU per request, floor = 1 | min - max | upstream HTTP/calls | peak MiB |
|---|---|---|---|---|---|`;

/** The median of some values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Formats two or three digits; a dash for NaN, which is not measured. */
export const formatNumber = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) : '-';

/** The CPU of each round in relation to the floor. */
export const ratiosToFloor = ({ cpu }: Measurement, floor: Measurement | undefined): readonly number[] =>
  cpu.map((ms, round) => ms / (floor?.cpu[round] ?? Number.NaN));

export const isFloor = ({ program }: Measurement): boolean => program === 'floor' || program === 'raw';

/** The rows of a scenario. Ratios are computed within a round, so that the machine's other load affects both sides. */
export function rows(scenario: Scenario, figures: readonly Measurement[]): string[] {
  const floor = figures.find(isFloor);
  return figures.map((one, i) => {
    const ratios = ratiosToFloor(one, floor);
    const cpu =
      isFloor(one) || !floor
        ? `${floor ? '1 ' : ''}(${formatNumber(median(one.cpu))} ms)`
        : `**${formatNumber(median(ratios))}**`;
    const spread = isFloor(one) || !floor ? '' : `${formatNumber(Math.min(...ratios))} - ${formatNumber(Math.max(...ratios))}`;
    const { http, calls } = one.upstream;
    return `| ${i === 0 ? scenario.title : ''} | ${one.program} | ${cpu} | ${spread} | ${http}/${calls} | ${Math.round(one.peak) || '-'} |`;
  });
}

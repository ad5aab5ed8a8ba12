import type { Figures } from './measure.ts';
import type { Question } from './questions.ts';

export const HEAD = `| question | who | CPU a request, floor = 1 | least - most | upstream HTTP/calls | peak MiB |
|---|---|---|---|---|---|`;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Two or three digits; a dash for what was not measured. */
const short = (value: number): string => (Number.isFinite(value) ? value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) : '-');

const isFloor = ({ program }: Figures) => program === 'floor' || program === 'raw';

/** Rows of a question: ratios are taken within a round, so that a slow minute of the machine slows both sides. */
export function rows(question: Question, figures: readonly Figures[]): string[] {
  const floor = figures.find(isFloor);
  return figures.map((one, i) => {
    const ratios = one.cpu.map((cpu, round) => cpu / (floor?.cpu[round] ?? Number.NaN));
    const cpu = isFloor(one) || !floor ? `${floor ? '1 ' : ''}(${short(median(one.cpu))} ms)` : `**${short(median(ratios))}**`;
    const spread = isFloor(one) || !floor ? '' : `${short(Math.min(...ratios))} - ${short(Math.max(...ratios))}`;
    const { http, calls } = one.upstream;
    return `| ${i === 0 ? question.about : ''} | ${one.program} | ${cpu} | ${spread} | ${http}/${calls} | ${Math.round(one.peak) || '-'} |`;
  });
}

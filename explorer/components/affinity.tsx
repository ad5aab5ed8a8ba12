/** The elements of the tournament. */
export type AffinityName = 'FIRE' | 'WIND' | 'WATER' | 'NEUTRAL' | 'NOTSET' | 'UNKNOWN';

/** Paths of the symbols in a square of 24 units. */
const SYMBOLS: Readonly<Record<AffinityName, string>> = {
  FIRE: 'M12.4 2.5c.9 3.2 5.8 6 5.8 11.2a6.2 6.2 0 0 1-12.4 0c0-2.5 1.2-4.2 2.4-5.5.2 1.6.9 2.6 1.9 3 .1-3.4.6-6.2 2.3-8.7z',
  WIND: 'M3 9h10.5a2.75 2.75 0 1 0-2.6-3.6M3 13h15a2.75 2.75 0 1 1-2.6 3.6M3 17h7a2.25 2.25 0 1 1-2.1 3',
  WATER: 'M12 2.8c3.2 4 6.2 7.5 6.2 11.2a6.2 6.2 0 0 1-12.4 0c0-3.7 3-7.2 6.2-11.2z',
  NEUTRAL: 'M12 3.5 20.5 12 12 20.5 3.5 12z',
  NOTSET: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z',
  UNKNOWN: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z',
};

const NAMES: Readonly<Record<AffinityName, string>> = {
  FIRE: 'fire',
  WIND: 'wind',
  WATER: 'water',
  NEUTRAL: 'neutral',
  NOTSET: 'not chosen',
  UNKNOWN: 'unknown',
};

/** The name of an element in lower case. */
export const affinityName = (affinity: AffinityName): string => NAMES[affinity];

/** The paths of a symbol, for a place in another drawing. */
export const AffinitySymbol = ({ affinity }: { readonly affinity: AffinityName }) => (
  <path d={SYMBOLS[affinity]} className={`symbol ${NAMES[affinity].replace(' ', '-')}`} />
);

/** The symbol of an element with its name as a title. */
export const AffinityIcon = ({ affinity, size = 24 }: { readonly affinity: AffinityName; readonly size?: number }) => (
  <svg className="affinity" viewBox="0 0 24 24" width={size} height={size} role="img" aria-label={NAMES[affinity]}>
    <title>{NAMES[affinity]}</title>
    <AffinitySymbol affinity={affinity} />
  </svg>
);

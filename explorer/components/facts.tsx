import type { ReactNode } from 'react';
import { NoValue } from './empty.tsx';

/** Names and values; those without a value are left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className="facts">
      {Object.entries(facts).map(
        ([name, value]) =>
          value !== null &&
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Large values at the top of a page. */
export function Tiles({ tiles }: { readonly tiles: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className="tiles">
      {Object.entries(tiles).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? <NoValue />}</dd>
        </div>
      ))}
    </dl>
  );
}

interface SectionProps {
  readonly title: string;
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

export const Section = ({ title, note, children }: SectionProps) => (
  <section className="card" aria-label={title}>
    <h2>
      {title} {note !== undefined && <small>{note}</small>}
    </h2>
    {children}
  </section>
);

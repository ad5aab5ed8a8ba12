interface RecordBarProps {
  readonly record: { readonly duels: number; readonly won: number; readonly lost: number; readonly drawn: number };
}

/** The duels of a wizard by outcome, as parts of a bar. */
export function RecordBar({ record: { duels, won, lost, drawn } }: RecordBarProps) {
  const parts = [
    { name: 'won', count: won },
    { name: 'drawn', count: drawn },
    { name: 'lost', count: lost },
    { name: 'in progress', count: duels - won - drawn - lost },
  ].filter(({ count }) => count > 0);
  if (parts.length === 0) return null;
  return (
    <div className="record">
      <svg viewBox={`0 0 ${duels} 1`} preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ name, count }, index) => (
          <rect
            key={name}
            className={name.replace(' ', '-')}
            x={parts.slice(0, index).reduce((sum, part) => sum + part.count, 0)}
            width={count}
            height="1"
          />
        ))}
      </svg>
      <p>
        {parts.map(({ name, count }) => (
          <span key={name} className={`legend ${name.replace(' ', '-')}`}>
            {count} {name}
          </span>
        ))}
      </p>
    </div>
  );
}

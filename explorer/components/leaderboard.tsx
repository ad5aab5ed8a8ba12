import { AffinityIcon, type AffinityName } from './affinity.tsx';
import { columnDecimal, formatPower, powerNumber } from './format.ts';
import { AccountLink, WizardLink } from './links.tsx';
import { stableRows, Table } from './table.tsx';

interface RankedWizard {
  readonly id: string;
  readonly affinity: AffinityName;
  readonly power: string;
  readonly owner: { readonly address: string; readonly label: string | null; readonly balanceIn: string } | null;
  readonly record: { readonly won: number; readonly lost: number; readonly drawn: number } | null;
}

/** Number of wizards before the reader requests all. */
const MAX_ROWS = 16;

/** Wizards in the given order, with the balances of their owners. */
export function Leaderboard({ wizards }: { readonly wizards: readonly RankedWizard[] }) {
  const max = Math.max(1, ...wizards.map(({ power }) => powerNumber(power)));
  return (
    <Table
      empty="No wizard is alive."
      maxRows={MAX_ROWS}
      rows={stableRows(
        wizards.map((wizard, index) => ({ ...wizard, rank: index + 1 })),
        ({ id }) => id,
      )}
      columns={[
        { title: '#', isWide: true, cell: ({ rank }) => <span className="muted">{rank}</span> },
        {
          title: 'Wizard',
          cell: ({ id, affinity }) => (
            <span className="with-icon">
              <AffinityIcon affinity={affinity} size={20} />
              <WizardLink id={id} />
            </span>
          ),
        },
        {
          title: 'Power',
          isNumber: true,
          cell: ({ power }) => (
            <span className="power">
              {formatPower(power)}
              <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(100 * powerNumber(power)) / max} height="4" />
              </svg>
            </span>
          ),
        },
        {
          title: 'W–D–L',
          cell: ({ record }) => record && <span title="won, drawn, lost">{`${record.won}–${record.drawn}–${record.lost}`}</span>,
        },
        { title: 'Owner', line: 2, cell: ({ owner }) => owner && <AccountLink account={owner} /> },
        { title: 'Ether', isNumber: true, line: 2, cell: ({ owner }) => owner && columnDecimal(owner.balanceIn, 2) },
      ]}
    />
  );
}

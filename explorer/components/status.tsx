import { formatInteger } from './format.ts';

interface FinalityProps {
  /** Null for a block that a reorg has removed. */
  readonly confirmations: string | number | null;
  /** Null on a chain without finality. */
  readonly isFinal: boolean | null;
}

/** Whether a block is final, or how many blocks confirm it. */
export function Finality({ confirmations, isFinal }: FinalityProps) {
  if (confirmations === null) return <span className="badge bad">removed by a reorg</span>;
  const count = `${formatInteger(confirmations)} confirmation${Number(confirmations) === 1 ? '' : 's'}`;
  if (isFinal) return <span className="badge good">final · {count}</span>;
  return <span className="badge">{count}</span>;
}

/** The `status` of a receipt; nothing while pending and before Byzantium. */
export const Outcome = ({ status }: { readonly status: string | null }) =>
  status !== null &&
  (Number(status) === 1 ? (
    <span className="good" role="img" aria-label="succeeded" title="succeeded">
      ✓
    </span>
  ) : (
    <span className="bad">✗ reverted</span>
  ));

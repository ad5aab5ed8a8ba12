import { Link } from 'wouter';
import { AffinityIcon, type AffinityName } from './affinity.tsx';

interface Fighter {
  readonly id: string;
  readonly affinity: AffinityName;
}

interface VersusProps {
  readonly duel: {
    readonly id: string;
    readonly wizard1: Fighter | null;
    readonly wizard2: Fighter | null;
    readonly winner?: { readonly id: string } | null | undefined;
  };
}

/** The two wizards of a duel, as a link to it. */
export const Versus = ({ duel: { id, wizard1, wizard2, winner } }: VersusProps) => (
  <Link href={`/duel/${id}`} className="versus">
    <VersusSide wizard={wizard1} isWinner={winner != null && winner.id === wizard1?.id} />
    <i>vs</i>
    <VersusSide wizard={wizard2} isWinner={winner != null && winner.id === wizard2?.id} />
  </Link>
);

const VersusSide = ({ wizard, isWinner }: { readonly wizard: Fighter | null; readonly isWinner: boolean }) => (
  <span className={isWinner ? 'winner' : undefined}>
    <AffinityIcon affinity={wizard?.affinity ?? 'UNKNOWN'} size={20} />
    Wizard {wizard?.id ?? 'unknown'}
  </span>
);

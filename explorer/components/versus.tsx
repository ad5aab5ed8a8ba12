import { Link } from 'wouter';
import { AffinityIcon, type AffinityName } from './affinity.tsx';

/** What a duel itself states about its wizards, without a request for them. */
export interface DuelSides {
  readonly id: string;
  readonly wizard1Id: string;
  readonly wizard2Id: string;
  readonly affinity1: AffinityName;
  readonly affinity2: AffinityName;
  readonly winner?: { readonly id: string } | null | undefined;
}

/** The two wizards of a duel, as a link to it. */
export const Versus = ({ duel }: { readonly duel: DuelSides }) => (
  <Link href={`/duel/${duel.id}`} className="versus">
    <VersusSide id={duel.wizard1Id} affinity={duel.affinity1} winnerId={duel.winner?.id} />
    <i>vs</i>
    <VersusSide id={duel.wizard2Id} affinity={duel.affinity2} winnerId={duel.winner?.id} />
  </Link>
);

interface VersusSideProps {
  readonly id: string;
  readonly affinity: AffinityName;
  readonly winnerId: string | undefined;
}

const VersusSide = ({ id, affinity, winnerId }: VersusSideProps) => (
  <span className={id === winnerId ? 'winner' : undefined}>
    <AffinityIcon affinity={affinity} size={20} />
    Wizard {id}
  </span>
);

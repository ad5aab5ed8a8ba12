import { useEffect, useState } from 'react';
import { type AffinityName, AffinitySymbol, affinityName } from './affinity.tsx';

/** Time for which a round is shown while the duel is replayed, in milliseconds. */
const ROUND_MS = 1_600;

interface Round {
  readonly index: number;
  readonly move1: AffinityName;
  readonly move2: AffinityName;
  readonly winner: { readonly id: string } | null;
}

interface DuelRoundsProps {
  readonly rounds: readonly Round[];
  readonly wizard1Id: string | undefined;
  readonly wizard2Id: string | undefined;
}

/** Which of the two wizards won a round: 1, 2 or none. */
const sideOf = ({ winner }: Round, { wizard1Id, wizard2Id }: DuelRoundsProps): 0 | 1 | 2 =>
  winner === null ? 0 : winner.id === wizard1Id ? 1 : winner.id === wizard2Id ? 2 : 0;

/** The rounds of a duel as pictures. It is replayed round by round when the page opens, unless the reader prefers less motion. */
export function DuelRounds(props: DuelRoundsProps) {
  const { rounds } = props;
  const last = rounds.length - 1;
  const [shown, setShown] = useState(matchMedia('(prefers-reduced-motion: reduce)').matches ? last : 0);
  const [isPlaying, setPlaying] = useState(shown < last);
  const [replays, setReplays] = useState(0);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => (shown < last ? setShown(shown + 1) : setPlaying(false)), ROUND_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, shown, last]);
  const replay = () => {
    setShown(0);
    setPlaying(true);
    setReplays(replays + 1);
  };
  const select = (index: number) => {
    setShown(index);
    setPlaying(false);
  };
  const round = rounds[shown];
  const won = (side: 1 | 2) => rounds.slice(0, shown + 1).filter((other) => sideOf(other, props) === side).length;
  return (
    <section className="card rounds" aria-label="Rounds" data-round={shown + 1}>
      <p className="score" aria-live="polite">
        <b>{won(1)}</b> Round {shown + 1} of {rounds.length} <b>{won(2)}</b>
      </p>
      {round && <Clash key={`${replays} ${shown}`} round={round} side={sideOf(round, props)} />}
      <ol>
        {rounds.map((other) => (
          <li key={other.index}>
            <button type="button" aria-pressed={other.index === shown} onClick={() => select(other.index)}>
              <RoundPicture round={other} side={sideOf(other, props)} isHidden={isPlaying && other.index > shown} />
            </button>
          </li>
        ))}
      </ol>
      <button type="button" onClick={replay}>
        ↻ Replay
      </button>
    </section>
  );
}

interface ClashProps {
  readonly round: Round;
  readonly side: 0 | 1 | 2;
}

/** The two moves of a round, which meet in the middle. */
function Clash({ round: { move1, move2 }, side }: ClashProps) {
  const text =
    side === 0 ? 'equal moves' : `${affinityName(side === 1 ? move1 : move2)} beats ${affinityName(side === 1 ? move2 : move1)}`;
  return (
    <figure className="clash">
      <svg viewBox="0 0 320 100" role="img" aria-label={text}>
        <g className="from-left">
          <g className={side === 1 ? 'beats' : side === 2 ? 'loses' : undefined} transform="translate(78 10) scale(3.4)">
            <AffinitySymbol affinity={move1} />
          </g>
        </g>
        <g className="from-right">
          <g className={side === 2 ? 'beats' : side === 1 ? 'loses' : undefined} transform="translate(162 10) scale(3.4)">
            <AffinitySymbol affinity={move2} />
          </g>
        </g>
        <circle className="spark" cx="160" cy="50" r="20" />
      </svg>
      <figcaption>{text}</figcaption>
    </figure>
  );
}

/** A small picture of a round: both moves, and an arrow to the wizard that won. */
function RoundPicture({ round: { index, move1, move2 }, side, isHidden }: ClashProps & { readonly isHidden: boolean }) {
  const label = `Round ${index + 1}: ${affinityName(move1)} against ${affinityName(move2)}`;
  if (isHidden)
    return (
      <svg viewBox="0 0 60 34" role="img" aria-label={`Round ${index + 1}`}>
        <text x="30" y="22" textAnchor="middle">
          ?
        </text>
      </svg>
    );
  return (
    <svg viewBox="0 0 60 34" role="img" aria-label={label}>
      <g className={side === 2 ? 'loses' : undefined} transform="translate(3 2) scale(0.96)">
        <AffinitySymbol affinity={move1} />
      </g>
      <g className={side === 1 ? 'loses' : undefined} transform="translate(34 2) scale(0.96)">
        <AffinitySymbol affinity={move2} />
      </g>
      {side > 0 && <rect className="mark" x={side === 1 ? 5 : 36} y="30" width="19" height="2.5" rx="1.2" />}
    </svg>
  );
}

import { BlockLink, TransactionLink } from './links.tsx';

interface StatusTrackProps {
  /** Null until the first event. */
  readonly update: {
    readonly status: string;
    readonly confirmations: number | null;
    readonly replacedBy: string | null;
    readonly blockNumber: number | null;
    readonly removedFrom: number | null;
  } | null;
  /** Null on a chain without finality, and outside a block. */
  readonly isFinal: boolean | null;
  readonly isReverted: boolean;
  /** Whether the node has the transaction. */
  readonly isKnown: boolean;
}

/** The way of a transaction from the pool to finality. */
export function StatusTrack({ update, isFinal, isReverted, isKnown }: StatusTrackProps) {
  const isMined = update?.blockNumber != null;
  const isEnded = update?.status === 'REPLACED' || update?.status === 'DROPPED';
  return (
    <div className="status-track" role="status" data-status={isFinal ? 'FINAL' : update?.status}>
      <ol>
        <Step isDone={update !== null && update.status !== 'UNKNOWN'} title={isEnded ? update.status.toLowerCase() : 'Pool'}>
          {update?.replacedBy && (
            <>
              by <TransactionLink hash={update.replacedBy} />
            </>
          )}
        </Step>
        <Step isDone={isMined} isBad={isReverted} title={isReverted ? 'Reverted' : 'Mined'}>
          {update?.removedFrom != null && <del>block {update.removedFrom}</del>}
          {isMined && (
            <>
              block <BlockLink number={update.blockNumber!} />
            </>
          )}
        </Step>
        <Step isDone={(update?.confirmations ?? 0) > 1} title="Confirmed">
          {update?.confirmations != null && `${update.confirmations}${update.status === 'CONFIRMED' ? '+' : ''} blocks`}
        </Step>
        <Step isDone={isFinal === true} title="Final">
          {isFinal === false && isMined && 'not yet'}
        </Step>
      </ol>
      {update?.removedFrom != null && (
        <p className="bad">
          A reorg has taken it out of its block. {isKnown && update.status === 'PENDING' && 'It waits to be mined again.'}
        </p>
      )}
    </div>
  );
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly isBad?: boolean;
  readonly children: React.ReactNode;
}

const Step = ({ title, isDone, isBad = false, children }: StepProps) => (
  <li className={isDone ? (isBad ? 'done failed' : 'done') : undefined}>
    <b>{title}</b>
    <small>{children}</small>
  </li>
);

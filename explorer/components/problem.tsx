import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ProblemKind } from '../data/problems.ts';

interface ProblemProps {
  readonly kind: ProblemKind | 'not-found';
  readonly title: string;
  readonly children: ReactNode;
  /** Requests the data at once. */
  readonly onRetry?: (() => void) | undefined;
}

/** A message in place of contents: what is wrong, what to do, and where to continue. */
export const Problem = ({ kind, title, children, onRetry }: ProblemProps) => (
  <section className={`notice problem ${kind}`} data-problem={kind} aria-label={title}>
    <h2>
      <span role="status">{title}</span>
    </h2>
    <div>{children}</div>
    <p className="actions">
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try now
        </button>
      )}
      {kind !== 'server' && <Link href="/">The latest blocks</Link>}
    </p>
  </section>
);

interface NotFoundProps {
  /** What does not exist: `block 7`. */
  readonly subject: string;
  readonly children: ReactNode;
}

/** A page whose object does not exist. */
export const NotFound = ({ subject, children }: NotFoundProps) => (
  <Problem kind="not-found" title={`There is no ${subject}`}>
    {children}
  </Problem>
);

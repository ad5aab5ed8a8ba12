import { createContext, type ReactNode, use } from 'react';
import { isMissing } from '../data/problems.ts';

type Errors = Parameters<typeof isMissing>[0];

/** The errors of the response that a page shows. */
export const ErrorsContext = createContext<Errors>([]);

interface EmptyProps {
  /** The path of the value in the response, such as `token.transfers`. */
  readonly path: string | undefined;
  readonly children: ReactNode;
}

/** The text in place of a list without entries; "Not available" if an error is the reason. */
export function Empty({ path, children }: EmptyProps) {
  const errors = use(ErrorsContext);
  return <p className="muted">{path !== undefined && isMissing(errors, path) ? 'Not available.' : children}</p>;
}

/** The text in place of a single value: "none" is only known from a response without errors. */
export const NoValue = () => <span className="muted">{use(ErrorsContext).length > 0 ? 'not available' : 'none'}</span>;

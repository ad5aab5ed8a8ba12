import { useGraphiQLActions } from '@graphiql/react';

/** States why an operation has no response, in place of the response. */
export function RunFailure({ text }: { readonly text: string }) {
  const { run } = useGraphiQLActions();
  return (
    <div className="run-failure" role="alert">
      <p>{text} The operation has no result.</p>
      <button type="button" onClick={run}>
        Try again
      </button>
    </div>
  );
}

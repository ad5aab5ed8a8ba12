import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { examplesPlugin } from '../examples/examples-panel.tsx';

/** The pane that a phone shows. */
export type Pane = 'query' | 'response';

interface PhoneBarProps {
  readonly pane: Pane;
  readonly onChange: (pane: Pane) => void;
}

/** Switches between the examples, the query and the response where there is room for one of them. */
export function PhoneBar({ pane, onChange }: PhoneBarProps) {
  const { setVisiblePlugin } = useGraphiQLActions();
  const visiblePlugin = useGraphiQL((state) => state.visiblePlugin);
  const show = (next: Pane) => {
    setVisiblePlugin(null);
    onChange(next);
  };
  const isShown = (name: Pane) => visiblePlugin === null && pane === name;
  const isExamples = visiblePlugin?.title === examplesPlugin.title;
  // The class of GraphiQL brings its colours.
  return (
    <nav className="graphiql-container phone-bar" aria-label="Panes">
      <button type="button" aria-pressed={isExamples} onClick={() => setVisiblePlugin(isExamples ? null : examplesPlugin.title)}>
        Examples
      </button>
      <button type="button" aria-pressed={isShown('query')} onClick={() => show('query')}>
        Query
      </button>
      <button type="button" aria-pressed={isShown('response')} onClick={() => show('response')}>
        Response
      </button>
    </nav>
  );
}
